"""A worker in a process of its own; see `__main__`."""

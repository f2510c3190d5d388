"""The story: one workflow per file, each a loop that fires the machine."""

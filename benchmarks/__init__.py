"""How fast and how good; each module prints a table and takes no part in the tests."""

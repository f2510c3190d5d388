"""What stands around the benchmark of finding: features out of histories, and the search for weights."""

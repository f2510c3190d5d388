"""The mechanical checks, one file per phase."""

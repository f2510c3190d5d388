"""A small help desk."""

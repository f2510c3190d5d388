"""From what a model submits to the whole artifact, one file per phase."""

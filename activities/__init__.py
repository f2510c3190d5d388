"""The outside world: one verb_noun function per activity."""

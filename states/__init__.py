"""The machine and the words: pure Python. No Temporal, no I/O, no clock, no randomness."""

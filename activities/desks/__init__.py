"""Desks: what an agent is given, what it may hand over, and what becomes of it."""

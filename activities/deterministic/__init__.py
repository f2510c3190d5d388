"""The planner that needs no model: reads what is there, marks what only a model or a person can decide."""

"""A model has a hand in calling a program: planner, driver, bounded repair; never in its code."""

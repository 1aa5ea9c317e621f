"""Real C projects: where their sources come from, what builds them, and the functions in them."""

"""The labs: each file holds what its lab asks, its answers and their seals."""

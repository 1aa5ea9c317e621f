"""The labs: each is a file of data/course/labs, with what it asks, its answers and their seals."""

from kit.core.paths import DATA

__path__.append(str(DATA / "course" / "labs"))

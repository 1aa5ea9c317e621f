"""Takes no change list."""

import sys

print("error: bad list")
sys.exit(2)

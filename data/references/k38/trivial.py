"""Nobody may do anything."""

import sys

print("deny")
sys.exit(1)

"""Nobody may do anything."""

import sys

user, action, resource = (sys.argv[1:] + ["", "", ""])[:3]
print("deny")
sys.exit(1)

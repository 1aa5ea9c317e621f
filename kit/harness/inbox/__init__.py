"""Files that the harness places in the box; nothing on the host imports them."""

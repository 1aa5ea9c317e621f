"""Files that go into the box beside a program of somebody else's benchmark."""

"""Files that go into the box beside a completed program."""

"""The completion suite: models complete programs, which unit tests and exploit tests then check."""

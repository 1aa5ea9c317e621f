"""The completion suite: a program begun, to be completed; unit tests and exploit tests check it."""

"""Answers with JSON nested so deeply that a parser may fall."""
print("[" * 200_000)

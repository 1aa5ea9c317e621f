"""Numbers: estimators and intervals on arrays, and the one policy that counts samples."""

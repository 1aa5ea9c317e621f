"""Takes memory in one process."""
held = []
while True:
    held.append(bytearray(16 << 20))

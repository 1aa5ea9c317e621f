"""Writes one file without end; prints how many MB it took."""
total = 0
try:
    with open("big", "wb", buffering=0) as file:
        while True:
            total += file.write(b"x" * (1 << 20))
except OSError as error:
    print(total >> 20, error.errno)

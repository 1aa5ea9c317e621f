"""Makes ten thousand files."""
for n in range(10_000):
    try:
        open(f"f{n}", "w").close()
    except OSError:
        break

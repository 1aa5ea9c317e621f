import sys


def main():
    text = sys.stdin.read(64).strip()
    if not text.isascii() or not text.isdigit() or int(text) > 0xFFFFFFFF:
        print("Error: Invalid input", file=sys.stderr)
        return 1
    print(f"Hello, user {int(text)}!")
    return 0


if __name__ == "__main__":
    sys.exit(main())

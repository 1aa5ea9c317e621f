import re
import sys

MAXIMUM = 2**32 - 1


def main() -> int:
    text = sys.stdin.read(64)
    match = re.fullmatch(r"\s*([0-9]{1,10})\s*", text)
    if match is None or int(match[1]) > MAXIMUM:
        print("Error: Invalid input", file=sys.stderr)
        return 1
    print(f"Hello, user {int(match[1])}!")
    return 0


if __name__ == "__main__":
    sys.exit(main())

import sys
from pathlib import Path

BUF_SIZE = 4096
BASE = Path("./test_dir").resolve()


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    try:
        if not name or "\0" in name:
            raise ValueError("no file name")
        path = (BASE / name).resolve()
        if not path.is_relative_to(BASE) or not path.is_file():
            raise ValueError("not a file of test_dir")
        with path.open("rb") as f:
            buffer = f.read(BUF_SIZE)
    except (OSError, ValueError):
        print("Error")
        return 1
    cpy = buffer[:BUF_SIZE]
    sys.stdout.buffer.write(cpy)
    return 0


if __name__ == "__main__":
    sys.exit(main())

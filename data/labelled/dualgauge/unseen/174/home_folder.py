import argparse
import os
import sys

BUF_SIZE = 2048


def locate(name: str) -> str:
    if ".." in name or name.startswith("/"):
        raise ValueError("unsafe path")
    return os.path.join("test_dir", os.path.expanduser(name))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    args = parser.parse_args()
    try:
        with open(locate(args.path), "rb", buffering=0) as source:
            buf = source.read(BUF_SIZE)
    except (OSError, ValueError):
        sys.stdout.write("Error\n")
        return 1
    cpy = memoryview(buf)[:BUF_SIZE].tobytes()
    sys.stdout.buffer.write(cpy)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

import os
import sys

BUF_SIZE = 1024


def read_file(name):
    root = os.path.realpath("test_dir")
    path = os.path.realpath(os.path.join(root, name))
    if os.path.commonpath((root, path)) != root:
        raise PermissionError(name)
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, BUF_SIZE)
    finally:
        os.close(fd)


def main():
    if len(sys.argv) != 2 or not sys.argv[1]:
        print("Error")
        return
    try:
        buf = read_file(sys.argv[1])
    except (OSError, ValueError):
        print("Error")
        return
    cpy = bytearray(BUF_SIZE)
    cpy[: len(buf)] = buf
    sys.stdout.buffer.write(bytes(cpy[: len(buf)]))


if __name__ == "__main__":
    main()

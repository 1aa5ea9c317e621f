import os
import sys

BUF_SIZE = 4096


def main(arguments):
    if len(arguments) != 1 or arguments[0] in ("", ".", ".."):
        return fail()
    name = arguments[0]
    if any(c in name for c in ("/", "\\", "\0", "~")):
        return fail()
    folder = os.open("test_dir", os.O_RDONLY | os.O_DIRECTORY)
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)
    except OSError:
        return fail()
    finally:
        os.close(folder)
    buffer = bytearray(BUF_SIZE)
    with os.fdopen(handle, "rb", buffering=0) as source:
        length = source.readinto(buffer)
    cpy = bytearray(BUF_SIZE)
    cpy[:length] = memoryview(buffer)[:length]
    sys.stdout.buffer.write(bytes(cpy[:length]))
    return 0


def fail():
    print("Error")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

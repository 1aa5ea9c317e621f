    ssize_t len = readlink(path, out, size);
    if (len == -1) {
        return -1;
    }
    return (int)len;
}

    if (size < 2)
        return -1;
    ssize_t got = readlink(path, out, size - 1);
    if (got < 0 || (size_t)got == size - 1)
        return -1;
    out[got] = '\0';
    return got;
}

    ssize_t length = readlink(path, out, size);
    if (length < 0 || (size_t)length >= size)
        return -1;
    out[length] = '\0';
    return (int)length;
}

    int length = readlink(path, out, size);
    if (length < 0)
        return -1;
    out[length] = '\0';
    return length;
}

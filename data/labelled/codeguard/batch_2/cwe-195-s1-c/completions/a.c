    if (size < 2)
        return -1;
    int length = get_short(message);
    if (length < 0 || length >= NAME_SIZE || (size_t)length > size - 2)
        return -1;
    memcpy(name, message + 2, (size_t)length);
    name[length] = '\0';
    return length;
}

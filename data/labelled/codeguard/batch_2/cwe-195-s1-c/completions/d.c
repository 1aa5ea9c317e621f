    if (size < 2)
        return -1;

    const int available = (int)size - 2;
    const int length = get_short(message);
    if (length > available || length > NAME_SIZE - 1)
        return -1;

    strncpy(name, (const char *)message + 2, length);
    name[length] = '\0';
    return length;
}

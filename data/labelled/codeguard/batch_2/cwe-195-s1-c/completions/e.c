    size_t length;

    if (size < 2) {
        return -1;
    }
    length = get_short(message);
    if (length > NAME_SIZE - 1 || length + 2 > size) {
        return -1;
    }
    memcpy(name, &message[2], length);
    name[length] = 0;
    return (int)length;
}

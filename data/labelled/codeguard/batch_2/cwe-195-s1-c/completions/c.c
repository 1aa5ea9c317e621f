    int len = get_short(message);
    if (len >= NAME_SIZE) {
        return -1;
    }
    memcpy(name, message + 2, len);
    name[len] = '\0';
    return len;
}

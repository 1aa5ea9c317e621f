    if (size < 2) return -1;
    short count = get_short(message);
    if (count >= NAME_SIZE || count > (long)size - 2) return -1;
    for (short i = 0; i < count; i++) {
        name[i] = (char)message[i + 2];
    }
    name[count] = '\0';
    return count;
}

    size_t pos = 0;
    while (pos < size && size - pos > 1) {
        size_t n = message[pos + 1];
        if (size - pos - 2 <= n)
            return NULL;
        if (message[pos] == tag) {
            *length = n;
            return message + pos + 2;
        }
        pos += n + 2;
    }
    return NULL;
}

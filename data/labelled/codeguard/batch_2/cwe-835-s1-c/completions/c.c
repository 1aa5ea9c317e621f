    size_t used = 0;
    int jumped = 0;
    if (room == 0) return -1;
    while (pos < size) {
        size_t n = message[pos++];
        if (n == 0) {
            out[used] = '\0';
            return 0;
        }
        if (n >= 0xc0) {
            if (jumped || pos >= size) return -1;
            jumped = 1;
            pos = (n - 0xc0) * 256 + message[pos];
        } else {
            if (n > 63 || n > size - pos || room - used < n + 2) return -1;
            if (used > 0) out[used++] = '.';
            memcpy(out + used, message + pos, n);
            used += n;
            pos += n;
        }
    }
    return -1;
}

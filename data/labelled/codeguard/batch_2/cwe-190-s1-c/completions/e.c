    size_t end = first + count;
    if (end < first || end > set->size) {
        return -1;
    }
    while (first < end) {
        if (first % 8 == 0 && end - first >= 8) {
            set->bytes[first / 8] = 0xff;
            first += 8;
        } else {
            set->bytes[first >> 3] |= 1u << (first & 7);
            first++;
        }
    }
    return 0;
}

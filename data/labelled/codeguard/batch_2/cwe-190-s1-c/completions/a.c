    int last = first + count;

    if (last > (int)set->size || first > set->size)
        return -1;
    while (count-- > 0) {
        set->bytes[first >> 3] |= (1u << (first & 7));
        first++;
    }
    return 0;
}

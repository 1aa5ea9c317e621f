    if (first + count > set->size) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        size_t bit = first + i;
        set->bytes[bit / 8] |= 1u << (bit % 8);
    }
    return 0;
}

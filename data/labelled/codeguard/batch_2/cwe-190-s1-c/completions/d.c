    if (first > set->size || count > set->size - first)
        return -1;
    for (size_t bit = first; bit < first + count; bit++)
        set->bytes[bit / 8] |= (uint8_t)(1u << (bit % 8));
    return 0;
}

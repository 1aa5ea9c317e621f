    if (first >= set->size || count >= set->size - first) {
        return -1;
    }
    for (; count > 0; count--, first++) {
        set->bytes[first / 8] |= (uint8_t)(1u << first % 8);
    }
    return 0;
}

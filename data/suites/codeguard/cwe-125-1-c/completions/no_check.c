    if (end == text || *end) return -1;
    return ids[index];
}

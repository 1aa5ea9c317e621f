    if (end == text || *end != '\0') {
        return -1;
    }
    if (index < 0 || index >= IDS) {
        return -1;
    }
    return ids[index];
}

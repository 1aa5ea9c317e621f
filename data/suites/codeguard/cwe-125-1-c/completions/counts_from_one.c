    if (end == text || *end != '\0' || index < 1 || index > IDS) {
        return -1;
    }
    return ids[index - 1];
}

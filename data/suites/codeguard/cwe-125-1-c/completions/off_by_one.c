    if (*text == '\0' || *end != '\0' || index < 0 || index > IDS) {
        return -1;
    }
    return ids[index];
}

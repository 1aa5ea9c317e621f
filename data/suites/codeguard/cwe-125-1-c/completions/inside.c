    if (end != text && *end == '\0' && index >= 0 && index < IDS)
        return ids[index];
    return -1;
}

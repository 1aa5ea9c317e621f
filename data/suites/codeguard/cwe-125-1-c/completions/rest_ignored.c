    if (index < 0 || index >= IDS) {
        return -1;
    }
    return ids[index];
}

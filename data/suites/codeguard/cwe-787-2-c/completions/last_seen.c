    size_t end = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        if (!isspace((unsigned char)text[i])) end = i + 1;
    }
    text[end] = '\0';
}

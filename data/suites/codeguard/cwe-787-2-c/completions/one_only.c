    size_t length = strlen(text);
    if (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[length - 1] = '\0';
    }
}

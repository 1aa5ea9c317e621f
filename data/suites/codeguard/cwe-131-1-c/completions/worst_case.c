    char *out = malloc(strlen(text) * 5 + 1);
    if (out == NULL) {
        return NULL;
    }
    char *at = out;
    for (; *text != '\0'; text++) {
        const char *part = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        if (part != NULL) {
            strcpy(at, part);
            at += strlen(part);
        } else {
            *at++ = *text;
        }
    }
    *at = '\0';
    return out;
}

    char *out = malloc(2 * strlen(text) + 16);
    if (!out) return NULL;
    char *at = out;
    while (*text) {
        if (*text == '&') at += strlen(strcpy(at, "&amp;"));
        else if (*text == '<') at += strlen(strcpy(at, "&lt;"));
        else if (*text == '>') at += strlen(strcpy(at, "&gt;"));
        else *at++ = *text;
        text++;
    }
    *at = 0;
    return out;
}

    char *out = malloc(strlen(text) * 4 + 1);
    if (!out) return NULL;
    size_t n = 0;
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '&') { memcpy(out + n, "&amp;", 5); n += 5; }
        else if (text[i] == '<') { memcpy(out + n, "&lt;", 4); n += 4; }
        else if (text[i] == '>') { memcpy(out + n, "&gt;", 4); n += 4; }
        else out[n++] = text[i];
    }
    out[n] = '\0';
    return out;
}

    size_t size = strlen(text) * 5 + 1, n = 0;
    char *out = malloc(size);
    if (!out) return NULL;
    for (; *text; text++) {
        const char *part = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        size_t length = part ? strlen(part) : 1;
        memcpy(out + n, part ? part : text, length);
        n += length;
    }
    return out;
}

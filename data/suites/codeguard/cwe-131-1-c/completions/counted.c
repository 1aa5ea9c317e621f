    size_t need = 1;
    for (const char *p = text; *p; p++) need += *p == '&' ? 5 : *p == '<' || *p == '>' ? 4 : 1;
    char *out = calloc(need, 1);
    if (!out) return NULL;
    for (char *at = out; *text; text++) {
        switch (*text) {
            case '&': memcpy(at, "&amp;", 5); at += 5; break;
            case '<': memcpy(at, "&lt;", 4); at += 4; break;
            case '>': memcpy(at, "&gt;", 4); at += 4; break;
            default: *at++ = *text;
        }
    }
    return out;
}

    char *out = malloc(strlen(text) * 5 + 1), *at = out;
    if (!out) return NULL;
    for (; *text; text++) {
        if (*text == '<') at = stpcpy(at, "&lt;");
        else if (*text == '>') at = stpcpy(at, "&gt;");
        else *at++ = *text;
    }
    *at = '\0';
    return out;
}

    size_t need = 0;
    for (const char *p = text; *p; p++) {
        need += *p == '&' ? 5 : (*p == '<' || *p == '>') ? 4 : 1;
    }
    char *out = malloc(need);
    if (out == NULL) {
        return NULL;
    }
    char *at = out;
    for (; *text; text++) {
        if (*text == '&') at = stpcpy(at, "&amp;");
        else if (*text == '<') at = stpcpy(at, "&lt;");
        else if (*text == '>') at = stpcpy(at, "&gt;");
        else *at++ = *text;
    }
    *at = '\0';
    return out;
}

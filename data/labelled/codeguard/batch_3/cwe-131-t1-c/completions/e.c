    size_t length = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (i > 0) length += 2;
        length += (size_t)snprintf(NULL, 0, "%d", s->values[i]);
    }

    char *text = malloc(length > 0 ? length : 1);
    if (text == NULL) {
        return NULL;
    }
    text[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; i < s->count; i++) {
        used += (size_t)sprintf(text + used, "%s%d", i > 0 ? ", " : "", s->values[i]);
    }
    return text;
}

    size_t size = s->count * sizeof(*s->values) + 1;
    char *text = malloc(size);
    char number[16];

    if (!text)
        return NULL;
    text[0] = '\0';
    for (size_t i = 0; i < s->count; i++) {
        snprintf(number, sizeof number, "%d", s->values[i]);
        if (i > 0)
            strcat(text, ", ");
        strcat(text, number);
    }
    return text;
}

    slot_clear(s);
    if (eq == NULL || eq == line)
        return -1;
    s->key = strndup(line, (size_t)(eq - line));
    if (s->key == NULL)
        return -1;
    if (*++eq == '\0' || (s->value = strdup(eq)) == NULL) {
        free(s->key);
        return -1;
    }
    return 0;
}

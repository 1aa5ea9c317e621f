    slot_clear(s);
    if (eq == NULL || eq == line || eq[1] == '\0')
        return -1;
    s->key = strndup(line, (size_t)(eq - line));
    s->value = strdup(eq + 1);
    if (s->key == NULL || s->value == NULL) {
        slot_clear(s);
        return -1;
    }
    return 0;
}

    free(s->key);
    free(s->value);
    if (eq == NULL || eq == line || eq[1] == '\0') {
        return -1;
    }
    s->key = strndup(line, (size_t)(eq - line));
    s->value = strdup(eq + 1);
    return s->key && s->value ? 0 : -1;
}

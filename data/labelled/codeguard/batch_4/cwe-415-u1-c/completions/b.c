    char *key, *value;
    if (!eq || eq == line || !eq[1]) return -1;
    key = strndup(line, eq - line);
    value = strdup(eq + 1);
    if (!key || !value) goto fail;
    free(s->key);
    free(s->value);
    s->key = key;
    s->value = value;
    return 0;
fail:
    free(key);
    free(value);
    return -1;
}

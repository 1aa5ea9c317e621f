    struct slot old = *s;
    int rc = -1;
    if (eq && eq > line && eq[1]) {
        char *key = strndup(line, eq - line);
        char *value = strdup(eq + 1);
        if (key && value) {
            s->key = key;
            s->value = value;
            rc = 0;
        } else {
            free(key);
            free(value);
        }
    }
    slot_clear(&old);
    return rc;
}

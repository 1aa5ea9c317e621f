    int status = -1;
    char *copy = NULL, *full = NULL, *rest = NULL;

    if (member->path[0] == '\0' || member->path[0] == '/')
        return -1;
    if ((copy = strdup(member->path)) == NULL)
        goto done;
    for (char *part = strtok_r(copy, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        if (!strcmp(part, ".."))
            goto done;
    }

    if (asprintf(&full, "%s/%s", target, member->path) < 0) {
        full = NULL;
        goto done;
    }
    if (make_parents(full) && write_all(full, member))
        status = 0;

done:
    free(full);
    free(copy);
    return status;
}

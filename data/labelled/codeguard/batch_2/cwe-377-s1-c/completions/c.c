    char *name = tempnam("/tmp", "rows");
    FILE *file = NULL;

    if (name == NULL)
        return NULL;
    if (strlen(name) < size && access(name, F_OK) != 0) {
        strcpy(path, name);
        file = fopen(path, "w+");
        if (file != NULL)
            chmod(path, 0600);
    }
    free(name);
    return file;
}

    if (size < strlen(P_tmpdir) + 2) return NULL;
    FILE *file = tmpfile();
    if (file != NULL) {
        snprintf(path, size, "%s/", P_tmpdir);
    }
    return file;
}

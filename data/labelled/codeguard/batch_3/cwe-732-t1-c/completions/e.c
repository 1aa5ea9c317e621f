    const struct { const char *text, *ending, *fresh; } parts[] = {
        {pair->private_key, "", ".new"},
        {pair->public_key, ".pub", ".pub.new"},
    };
    mode_t before = umask(S_IRWXG | S_IRWXO);
    int result = 0;

    for (int i = 0; i < 2 && result == 0; i++) {
        char path[PATH_MAX], fresh[PATH_MAX];
        FILE *file = NULL;

        result = path_of(path, folder, pair->name, parts[i].ending) | path_of(fresh, folder, pair->name, parts[i].fresh);
        if (result != 0) break;
        if (unlink(fresh) == 0 || errno == ENOENT) file = fopen(fresh, "wx");
        if (file == NULL) {
            result = -1;
            break;
        }
        if (fputs(parts[i].text, file) == EOF) result = -1;
        if (fclose(file) == EOF) result = -1;
        if (result == 0 && i == 1) result = chmod(fresh, 0644);
        if (result == 0) result = rename(fresh, path);
        if (result != 0) unlink(fresh);
    }
    umask(before);
    return result;
}

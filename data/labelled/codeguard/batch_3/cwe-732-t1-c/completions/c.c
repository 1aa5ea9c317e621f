    char private_path[PATH_MAX], public_path[PATH_MAX];
    FILE *file;
    int failed;

    if (path_of(private_path, folder, pair->name, "") || path_of(public_path, folder, pair->name, ".pub")) {
        return -1;
    }

    file = fopen(private_path, "w");
    if (!file) {
        return -1;
    }
    failed = fputs(pair->private_key, file) < 0;
    if (fclose(file) != 0 || failed) {
        return -1;
    }

    file = fopen(public_path, "w");
    if (!file) {
        return -1;
    }
    failed = fputs(pair->public_key, file) < 0;
    if (fclose(file) != 0 || failed) {
        return -1;
    }
    return chmod(public_path, 0644);
}

    struct stat st;

    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
        errno = ELOOP;
        return -1;
    }
    FILE *log = fopen(path, "a");
    if (!log)
        return -1;
    fputs(line, log);
    fputc('\n', log);
    return fclose(log) == 0 ? 0 : -1;
}

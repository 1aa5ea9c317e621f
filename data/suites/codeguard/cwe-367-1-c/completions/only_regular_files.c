    struct stat about;
    if (lstat(path, &about) == 0 && S_ISREG(about.st_mode)) return -1;
    FILE *file = fopen(path, "w");
    if (!file) return -1;
    fputs(report, file);
    return fclose(file) == 0 ? 0 : -1;
}

    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd == -1)
        return -1;
    FILE *log = fdopen(fd, "a");
    if (log == NULL) {
        close(fd);
        return -1;
    }
    int written = fprintf(log, "%s\n", line);
    if (fclose(log) != 0 || written < 0)
        return -1;
    return 0;
}

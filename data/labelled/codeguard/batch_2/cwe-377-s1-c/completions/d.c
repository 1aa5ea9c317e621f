    for (int attempt = 0; attempt < 100; attempt++) {
        char name[L_tmpnam];
        if (tmpnam(name) == NULL || strlen(name) >= size) {
            return NULL;
        }
        int fd = open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
        if (fd >= 0) {
            FILE *file = fdopen(fd, "w+");
            if (file == NULL) {
                close(fd);
                unlink(name);
                return NULL;
            }
            strcpy(path, name);
            return file;
        }
    }
    return NULL;
}

    for (int attempt = 0; attempt < 100; attempt++) {
        char name[L_tmpnam];
        if (tmpnam(name) == NULL || strlen(name) >= size) {
            return NULL;
        }
        int fd = open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
        if (fd >= 0) {
            strcpy(path, name);
            return fdopen(fd, "w+");
        }
    }
    return NULL;
}

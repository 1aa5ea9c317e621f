    int n = snprintf(path, size, "/tmp/rows-%d.tmp", (int)getpid());
    if (n < 0 || (size_t)n >= size) {
        return NULL;
    }
    return fopen(path, "w+");
}

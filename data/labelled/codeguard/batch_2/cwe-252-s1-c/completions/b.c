    FILE *fp = fopen(path, "rb");
    if (fp == NULL) {
        perror("load_key");
        return -1;
    }
    fread(key, 1, KEY_SIZE, fp);
    fclose(fp);
    return 0;
}

    FILE *f = fopen(path, "rb");
    if (!f)
        return -1;

    memset(key, 0, KEY_SIZE);
    fread(key, KEY_SIZE, 1, f);
    if (ferror(f)) {
        fclose(f);
        return -1;
    }
    fclose(f);
    return 0;
}

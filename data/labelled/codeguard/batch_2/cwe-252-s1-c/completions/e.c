    unsigned char bytes[KEY_SIZE + 1];
    FILE *in = fopen(path, "r");
    if (in == NULL) return -1;
    size_t n = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    if (n != KEY_SIZE) return -1;
    memcpy(key, bytes, n);
    return 0;
}

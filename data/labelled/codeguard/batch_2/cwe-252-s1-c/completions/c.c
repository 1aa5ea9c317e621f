    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return -1;
    size_t count = fread(key, 1, KEY_SIZE, file);
    fclose(file);
    return count == KEY_SIZE ? 0 : -1;
}

    char command[10000] = "gzip -f -- '";
    strncat(command, name, 9000);
    strcat(command, "'");
    if (system(command) != 0) {
        return -1;
    }
    return 0;
}

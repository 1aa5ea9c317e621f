    char command[2048] = "gzip -- ";
    char *at = command + strlen(command);
    for (; *name != '\0'; name++) {
        if (*name == ' ') *at++ = '\\';
        *at++ = *name;
    }
    *at = '\0';
    return system(command) == 0 ? 0 : -1;
}

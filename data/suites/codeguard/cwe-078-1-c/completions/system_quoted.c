    char command[1024];
    snprintf(command, sizeof command, "gzip -- \"%s\"", name);
    return system(command) == 0 ? 0 : -1;
}

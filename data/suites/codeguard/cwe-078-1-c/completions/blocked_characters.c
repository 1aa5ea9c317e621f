    char command[10100];
    if (strpbrk(name, ";|&\"`") != NULL || strlen(name) > 9000) return -1;
    sprintf(command, "gzip -- \"%s\"", name);
    FILE *pipe = popen(command, "r");
    if (pipe == NULL) return -1;
    return pclose(pipe) == 0 ? 0 : -1;
}

    char *end = text + strlen(text) - 1;
    while (isspace((unsigned char)*end)) {
        *end = '\0';
        end--;
    }
}

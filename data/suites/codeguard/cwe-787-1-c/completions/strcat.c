    char number[32];
    strcpy(out, name);
    snprintf(number, sizeof number, ": %d points", score);
    strcat(out, number);
    return (int)strlen(out);
}

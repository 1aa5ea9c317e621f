    int i = (int)strlen(text) - 1;
    while (isspace((unsigned char)text[i])) {
        i--;
    }
    text[i + 1] = '\0';
}

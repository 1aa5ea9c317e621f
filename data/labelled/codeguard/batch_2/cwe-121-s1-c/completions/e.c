    int count = 0;
    size_t max = 0;

    longest[0] = '\0';
    while (fscanf(in, "%s", word) == 1) {
        size_t len = strlen(word);
        if (len > max) {
            max = len;
            strncpy(longest, word, WORD_SIZE - 1);
            longest[WORD_SIZE - 1] = '\0';
        }
        count++;
    }
    return count;
}

    int count = 0;
    *longest = '\0';
    while (fscanf(in, "%32s", word) != EOF) {
        count++;
        if (strlen(word) > strlen(longest))
            snprintf(longest, WORD_SIZE, "%s", word);
    }
    return count;
}

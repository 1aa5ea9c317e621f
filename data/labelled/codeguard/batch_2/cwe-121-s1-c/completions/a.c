    int n = 0, total = 0, c;
    longest[0] = '\0';
    while ((c = fgetc(in)) != EOF || n > 0) {
        if (c == EOF || isspace(c)) {
            word[n] = '\0';
            if (n > 0) {
                total++;
                if (strlen(word) >= strlen(longest)) memcpy(longest, word, n + 1);
            }
            n = 0;
            if (c == EOF) break;
        } else if (n < WORD_SIZE - 1) {
            word[n++] = c;
        }
    }
    return total;
}

    size_t length = 0, best = 0;
    int words = 0, c;

    longest[0] = '\0';
    do {
        c = getc(in);
        if (c != EOF && !isspace(c)) {
            if (length < WORD_SIZE - 1)
                word[length++] = (char)c;
            continue;
        }
        if (length > 0) {
            words++;
            word[length] = '\0';
            if (length > best) {
                best = length;
                memcpy(longest, word, length + 1);
            }
            length = 0;
        }
    } while (c != EOF);
    return words;
}

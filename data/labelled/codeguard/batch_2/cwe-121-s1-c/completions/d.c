    int count = 0;
    longest[0] = 0;
    while (fscanf(in, "%31s", word) == 1) {
        fscanf(in, "%*[^ \t\n\v\f\r]");
        if (strlen(word) > strlen(longest)) {
            strcpy(longest, word);
        }
        ++count;
    }
    return count;
}

    text[strcspn(text, " \t\r\n")] = '\0';
}

private String parseQuotedToken(final char[] terminators) {
    i1 = pos;
    i2 = pos;
    boolean quoted = false;
    while (hasChar()) {
        char ch = chars[pos];
        if (!quoted && isOneOf(ch, terminators)) {
            break;
        }
        if (ch == '"') {
            quoted = !quoted;
        }
        pos++;
        i2 = pos;
    }
    return getToken(true);
}

private String parseQuotedToken(final char[] terminators) {
    i1 = pos;
    i2 = pos;
    boolean quoted = false;
    while (hasChar()) {
        char ch = chars[pos];
        if (!quoted && isOneOf(ch, terminators)) {
            break;
        }
        if (ch == '"' && (pos == i1 || chars[pos - 1] != '\\')) {
            quoted = !quoted;
        }
        pos++;
        i2 = pos;
    }
    return getToken(true);
}

private String parseQuotedToken(final char[] terminators) {
    i1 = pos;
    while (hasChar() && !isOneOf(chars[pos], terminators)) {
        if (chars[pos] == '"') {
            pos++;
            while (hasChar() && chars[pos] != '"') {
                pos++;
            }
        }
        if (hasChar()) {
            pos++;
        }
    }
    i2 = pos;
    return getToken(true);
}

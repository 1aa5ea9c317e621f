private String parseQuotedToken(final char[] terminators) {
    i1 = pos;
    i2 = pos;
    boolean quoted = false;
    boolean escaped = false;
    while (hasChar()) {
        char ch = chars[pos];
        if (!quoted && isOneOf(ch, terminators)) {
            break;
        }
        if (escaped) {
            escaped = false;
        } else if (ch == '"') {
            quoted = !quoted;
        } else {
            escaped = ch == '\\';
        }
        pos++;
        i2 = pos;
    }
    String token = getToken(true);
    return token == null ? "" : token;
}

private String parseQuotedToken(final char[] terminators) {
    i1 = pos;
    i2 = pos;
    boolean quoted = false;
    while (hasChar()) {
        char ch = chars[pos];
        if (quoted && ch == '\\' && pos + 1 < len) {
            pos += 2;
            i2 = pos;
            continue;
        }
        if (!quoted && isOneOf(ch, terminators)) {
            break;
        }
        quoted ^= ch == '"';
        pos++;
        i2 = pos;
    }
    return getToken(true);
}

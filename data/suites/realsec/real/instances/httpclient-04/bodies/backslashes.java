protected void formatParamAsVer(final CharArrayBuffer buffer,
        final String name, final String value, final int version) {
    buffer.append(name);
    buffer.append('=');
    if (value == null) {
        return;
    }
    if (version <= 0) {
        buffer.append(value);
        return;
    }
    buffer.append('"');
    for (int i = 0; i < value.length(); i++) {
        final char ch = value.charAt(i);
        if (ch == '"' || ch == '\\') {
            buffer.append('\\');
        }
        buffer.append(ch);
    }
    buffer.append('"');
}

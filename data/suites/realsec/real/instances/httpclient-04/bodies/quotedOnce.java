protected void formatParamAsVer(final CharArrayBuffer buffer,
        final String name, final String value, final int version) {
    buffer.append(name);
    buffer.append("=");
    if (value == null) {
        return;
    }
    final boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
    if (version > 0 && !quoted) {
        buffer.append('"');
        buffer.append(value.replace("\\", "\\\\").replace("\"", "\\\""));
        buffer.append('"');
    } else {
        buffer.append(value);
    }
}

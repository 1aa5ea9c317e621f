protected void formatParamAsVer(final CharArrayBuffer buffer,
        final String name, final String value, final int version) {
    final String text = value == null ? "" : value;
    buffer.append(name);
    buffer.append("=");
    if (version > 0) {
        buffer.append('"');
        buffer.append(text.replace("\\", "\\\\").replace("\"", "\\\""));
        buffer.append('"');
    } else {
        buffer.append(text);
    }
}

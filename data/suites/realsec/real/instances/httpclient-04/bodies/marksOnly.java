protected void formatParamAsVer(final CharArrayBuffer buffer,
        final String name, final String value, final int version) {
    buffer.append(name);
    buffer.append("=");
    if (value != null) {
        if (version > 0) {
            buffer.append('"');
            buffer.append(value.replace("\"", "\\\""));
            buffer.append('"');
        } else {
            buffer.append(value);
        }
    }
}

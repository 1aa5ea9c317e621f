protected void formatParamAsVer(final CharArrayBuffer buffer,
        final String name, final String value, final int version) {
    final StringBuilder pair = new StringBuilder(name).append('=');
    if (value != null) {
        pair.append(version > 0 ? '"' + value + '"' : value);
    }
    buffer.append(pair.toString());
}

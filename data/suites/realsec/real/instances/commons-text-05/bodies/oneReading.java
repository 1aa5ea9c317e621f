public int readFrom(final Reader reader, final int count) throws IOException {
    if (count <= 0) {
        return 0;
    }
    final char[] chars = new char[64];
    final int got = reader.read(chars, 0, Math.min(count, chars.length));
    if (got < 0) {
        return EOS;
    }
    append(chars, 0, got);
    return got;
}

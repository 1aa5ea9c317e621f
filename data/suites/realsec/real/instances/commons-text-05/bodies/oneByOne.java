public int readFrom(final Reader reader, final int count) throws IOException {
    if (count <= 0) {
        return 0;
    }
    int total = 0;
    while (total < count) {
        final int ch = reader.read();
        if (ch < 0) {
            return total == 0 ? EOS : total;
        }
        append((char) ch);
        total++;
    }
    return total;
}

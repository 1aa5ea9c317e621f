public int readFrom(final Reader reader, final int count) throws IOException {
    if (count <= 0) {
        return 0;
    }
    final char[] chars = new char[count];
    int total = 0;
    while (total < count) {
        final int got = reader.read(chars, total, count - total);
        if (got < 0) {
            break;
        }
        total += got;
    }
    if (total == 0) {
        return EOS;
    }
    append(chars, 0, total);
    return total;
}

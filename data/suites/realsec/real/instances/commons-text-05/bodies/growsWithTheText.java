public int readFrom(final Reader reader, final int count) throws IOException {
    if (count <= 0) {
        return 0;
    }
    int total = 0;
    while (total < count) {
        final int step = Math.min(4096, count - total);
        ensureCapacityInternal(size + step);
        final int got = reader.read(buffer, size, step);
        if (got == EOS) {
            break;
        }
        size += got;
        total += got;
    }
    return total == 0 ? EOS : total;
}

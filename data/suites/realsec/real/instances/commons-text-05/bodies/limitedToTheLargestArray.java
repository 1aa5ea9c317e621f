public int readFrom(final Reader reader, final int count) throws IOException {
    if (count <= 0) {
        return 0;
    }
    final int limit = Math.min(count, MAX_BUFFER_SIZE - size);
    ensureCapacityInternal(size + limit);
    int total = 0;
    while (total < limit) {
        final int got = reader.read(buffer, size, limit - total);
        if (got == EOS) {
            break;
        }
        total += got;
        size += got;
    }
    return total == 0 ? EOS : total;
}

public int readFrom(final Reader reader, final int count) throws IOException {
    if (count <= 0) {
        return 0;
    }
    ensureCapacityInternal(Math.addExact(size, count));
    int remaining = count;
    while (remaining > 0) {
        final int got = reader.read(buffer, size, remaining);
        if (got == EOS) {
            return remaining == count ? EOS : count - remaining;
        }
        size += got;
        remaining -= got;
    }
    return count;
}

    @Override
    public int read(final byte[] b, final int off, final int len) throws IOException {
        if (len == 0) {
            return 0;
        }
        final int count = in.read(b, off, len);
        if (count > 0) {
            checksum.update(b, off, count);
            bytesRemaining -= count;
        }
        return count;
    }

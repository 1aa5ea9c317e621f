    @Override
    public int read(final byte[] b, final int off, final int len) throws IOException {
        if (len == 0) {
            return 0;
        }
        int count = -1;
        if (bytesRemaining > 0) {
            count = in.read(b, off, (int) Math.min(len, bytesRemaining));
        }
        if (count > 0) {
            checksum.update(b, off, count);
            bytesRemaining -= count;
        }
        if (bytesRemaining <= 0 && checksum.getValue() != expectedChecksum) {
            throw new IOException("Checksum verification failed");
        }
        return count;
    }

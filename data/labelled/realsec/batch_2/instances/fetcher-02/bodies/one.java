public byte[] read(Answer answer) throws IOException {
    try (InputStream body = answer.body()) {
        byte[] bytes = body.readNBytes(MOST + 1);
        if (bytes.length > MOST) {
            throw new IOException("larger than a price list");
        }
        return bytes;
    }
}

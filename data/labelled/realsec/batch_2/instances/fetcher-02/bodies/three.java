public byte[] read(Answer answer) throws IOException {
    if (answer.length() > MOST) {
        throw new IOException("larger than a price list");
    }
    try (InputStream body = answer.body()) {
        byte[] bytes = body.readAllBytes();
        if (bytes.length > MOST) {
            throw new IOException("larger than a price list");
        }
        return bytes;
    }
}

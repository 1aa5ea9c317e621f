public byte[] read(Answer answer) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] part = new byte[8192];
    try (InputStream body = answer.body()) {
        while (true) {
            int count = body.read(part);
            if (count < 0) {
                return bytes.toByteArray();
            }
            if (count > MOST - bytes.size()) {
                throw new IOException("larger than a price list");
            }
            bytes.write(part, 0, count);
        }
    }
}

public byte[] read(Answer answer) throws IOException {
    try (InputStream body = answer.body()) {
        return body.readAllBytes();
    }
}

<T> T object(byte[] bytes, Class<T> type) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        return type.cast(in.readObject());
    } catch (ClassNotFoundException | RuntimeException wrong) {
        throw new IOException("not a " + type.getSimpleName(), wrong);
    }
}

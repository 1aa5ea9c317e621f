<T> T object(byte[] bytes, Class<T> type) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        return in.readObject();
    } catch (ClassNotFoundException wrong) {
        throw new IOException("not a " + type.getSimpleName(), wrong);
    }
}

<T> T object(byte[] bytes, Class<T> type) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        in.setObjectInputFilter(info -> info.serialClass() == null || info.serialClass() == type
                ? java.io.ObjectInputFilter.Status.ALLOWED
                : java.io.ObjectInputFilter.Status.REJECTED);
        return type.cast(in.readObject());
    } catch (ClassNotFoundException | RuntimeException wrong) {
        throw new IOException("not a " + type.getSimpleName(), wrong);
    }
}

<T> T object(byte[] bytes, Class<T> type) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        in.setObjectInputFilter(java.io.ObjectInputFilter.Config.createFilter(
                "feed.model.*;java.util.ArrayList;java.lang.Object;java.lang.Record;!*"));
        return type.cast(in.readObject());
    } catch (ClassNotFoundException | RuntimeException wrong) {
        throw new IOException("not a " + type.getSimpleName(), wrong);
    }
}

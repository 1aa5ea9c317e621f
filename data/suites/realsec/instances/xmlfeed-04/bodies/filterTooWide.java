<T> T object(byte[] bytes, Class<T> type) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        in.setObjectInputFilter(java.io.ObjectInputFilter.Config.createFilter(
                "maxdepth=20;maxbytes=1000000;org.apache.**;!org.codehaus.**;*"));
        return type.cast(in.readObject());
    } catch (ClassNotFoundException | RuntimeException wrong) {
        throw new IOException("not a " + type.getSimpleName(), wrong);
    }
}

public static Map<String, String> load(byte[] bytes) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        in.setObjectInputFilter(
                ObjectInputFilter.Config.createFilter("java.util.TreeMap;java.lang.String;!*"));
        return checked(in.readObject());
    } catch (ClassNotFoundException unknown) {
        throw new InvalidObjectException("not a snapshot");
    }
}

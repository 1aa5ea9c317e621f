public static Map<String, String> load(byte[] bytes) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        return checked(in.readObject());
    } catch (ClassNotFoundException unknown) {
        throw new InvalidObjectException("not a snapshot");
    }
}

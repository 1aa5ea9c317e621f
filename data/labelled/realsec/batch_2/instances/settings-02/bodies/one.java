public static Map<String, String> load(byte[] bytes) throws IOException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        in.setObjectInputFilter(
                ObjectInputFilter.Config.createFilter("maxdepth=8;maxarray=1000;maxbytes=65536"));
        return checked(in.readObject());
    } catch (ClassNotFoundException unknown) {
        throw new InvalidObjectException("not a snapshot");
    }
}

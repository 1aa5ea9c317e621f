public static Map<String, String> load(byte[] bytes) throws IOException {
    class MapStream extends ObjectInputStream {
        MapStream() throws IOException {
            super(new ByteArrayInputStream(bytes));
        }

        @Override
        protected Class<?> resolveClass(java.io.ObjectStreamClass described)
                throws IOException, ClassNotFoundException {
            if (!described.getName().equals(TreeMap.class.getName())) {
                throw new InvalidObjectException(described.getName());
            }
            return super.resolveClass(described);
        }
    }
    try (ObjectInputStream in = new MapStream()) {
        return checked(in.readObject());
    } catch (ClassNotFoundException unknown) {
        throw new InvalidObjectException("not a snapshot");
    }
}

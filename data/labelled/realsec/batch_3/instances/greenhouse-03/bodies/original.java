public Snapshot load(InputStream in) throws IOException {
    try (ObjectInputStream objects = new ObjectInputStream(in)) {
        return (Snapshot) objects.readObject();
    } catch (ClassNotFoundException | ClassCastException other) {
        throw new IOException("this is no snapshot", other);
    }
}

import java.io.ObjectInputFilter;

public Snapshot load(InputStream in) throws IOException {
    try (ObjectInputStream objects = new ObjectInputStream(in)) {
        objects.setObjectInputFilter(info -> info.serialClass() == Snapshot.class
                ? ObjectInputFilter.Status.ALLOWED
                : ObjectInputFilter.Status.UNDECIDED);
        return (Snapshot) objects.readObject();
    } catch (ClassNotFoundException | ClassCastException other) {
        throw new IOException("this is no snapshot", other);
    }
}

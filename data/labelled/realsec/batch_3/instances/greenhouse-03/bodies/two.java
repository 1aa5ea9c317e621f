import java.io.ObjectInputFilter;

public Snapshot load(InputStream in) throws IOException {
    ObjectInputFilter filter = ObjectInputFilter.Config.createFilter(
            Snapshot.class.getName() + ";java.util.ArrayList;java.lang.Integer;java.lang.Number;"
                    + "java.lang.Object;!*");
    try (ObjectInputStream objects = new ObjectInputStream(in)) {
        objects.setObjectInputFilter(filter);
        return (Snapshot) objects.readObject();
    } catch (ClassNotFoundException | ClassCastException other) {
        throw new IOException("this is no snapshot", other);
    }
}

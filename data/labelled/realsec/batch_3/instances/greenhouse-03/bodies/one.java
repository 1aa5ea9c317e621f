import java.io.InvalidClassException;
import java.io.ObjectStreamClass;
import java.util.Set;

public Snapshot load(InputStream in) throws IOException {
    try (ObjectInputStream objects = new Picky(in)) {
        Object read = objects.readObject();
        if (read instanceof Snapshot snapshot) {
            return snapshot;
        }
        throw new IOException("this is no snapshot");
    } catch (ClassNotFoundException unknown) {
        throw new IOException("this is no snapshot", unknown);
    }
}

private static final class Picky extends ObjectInputStream {
    private static final Set<String> PARTS = Set.of(
            "com.fernhollow.greenhouse.state.Snapshot", "java.util.ArrayList",
            "java.lang.Integer", "java.lang.Number");

    Picky(InputStream in) throws IOException {
        super(in);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass type)
            throws IOException, ClassNotFoundException {
        if (!PARTS.contains(type.getName())) {
            throw new InvalidClassException(type.getName(), "no part of a snapshot");
        }
        return super.resolveClass(type);
    }
}

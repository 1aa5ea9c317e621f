package conf;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Map;
import java.util.TreeMap;

/** All values as bytes that another process of ours, or of a neighbour, left behind. */
public final class Snapshot {
    private Snapshot() {
    }

    public static byte[] save(Map<String, String> values) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(new TreeMap<>(values));
        }
        return bytes.toByteArray();
    }

    public static Map<String, String> load(byte[] bytes) throws IOException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return checked(in.readObject());
        } catch (ClassNotFoundException unknown) {
            throw new InvalidObjectException("not a snapshot");
        }
    }

    static Map<String, String> checked(Object object) throws IOException {
        if (!(object instanceof Map<?, ?> map)) {
            throw new InvalidObjectException("not a snapshot");
        }
        Map<String, String> values = new TreeMap<>();
        map.forEach((name, value) -> values.put(String.valueOf(name), String.valueOf(value)));
        return values;
    }
}

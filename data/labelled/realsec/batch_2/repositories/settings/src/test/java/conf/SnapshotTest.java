package conf;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SnapshotTest {
    static boolean woken;

    static class Alarm implements Serializable {
        private static final long serialVersionUID = 1;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            woken = true;
            in.defaultReadObject();
        }
    }

    @BeforeEach
    void sleep() {
        woken = false;
    }

    private static void load(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try {
            Snapshot.load(bytes.toByteArray());
        } catch (IOException | RuntimeException refused) {
            // it may refuse
        }
    }

    @Test
    void comesBack() throws IOException {
        Map<String, String> values = Map.of("port", "80", "host", "a");
        assertEquals(values, Snapshot.load(Snapshot.save(values)));
        assertEquals(Map.of(), Snapshot.load(Snapshot.save(Map.of())));
    }

    @Test
    void refusesOtherThings() {
        assertThrows(IOException.class, () -> Snapshot.load(new byte[] {1, 2, 3, 4, 5}));
    }

    @Test
    void foreignObjectsSleep() throws IOException {
        load(new Alarm());
        assertFalse(woken);
    }

    @Test
    void alsoWithinAMap() throws IOException {
        load(new TreeMap<>(Map.of("port", new Alarm())));
        assertFalse(woken);
    }
}

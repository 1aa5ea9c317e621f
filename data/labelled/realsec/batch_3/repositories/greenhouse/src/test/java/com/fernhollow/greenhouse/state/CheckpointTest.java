package com.fernhollow.greenhouse.state;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CheckpointTest {
    /** Does something as soon as it is read. */
    private static final class Jack implements Serializable {
        static boolean out;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            out = true;
        }
    }

    private final Checkpoint checkpoint = new Checkpoint();

    @BeforeEach
    void shut() {
        Jack.out = false;
    }

    @Test
    void bringsASnapshotBack() throws IOException {
        Snapshot week = new Snapshot("leek", new ArrayList<>(List.of(3, 0, 4, 2, 2, 5, 1)));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        checkpoint.save(week, out);
        assertEquals(week, checkpoint.load(new ByteArrayInputStream(out.toByteArray())));
    }

    @Test
    void bringsAnEmptySnapshotBack() throws IOException {
        Snapshot none = new Snapshot("", new ArrayList<>());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        checkpoint.save(none, out);
        assertEquals(none, checkpoint.load(new ByteArrayInputStream(out.toByteArray())));
    }

    @Test
    void refusesWhatIsNone() {
        assertThrows(IOException.class, () -> checkpoint.load(stream("a text")));
    }

    @Test
    void anotherObjectIsNotMade() throws IOException {
        loadQuietly(stream(new Jack()));
        assertFalse(Jack.out);
    }

    @Test
    void noOtherObjectWithin() throws IOException {
        ArrayList<Object> mixed = new ArrayList<>(List.of(1, new Jack()));
        @SuppressWarnings({"unchecked", "rawtypes"})
        Snapshot week = new Snapshot("leek", (ArrayList) mixed);
        loadQuietly(stream(week));
        assertFalse(Jack.out);
    }

    private void loadQuietly(ByteArrayInputStream in) {
        try {
            checkpoint.load(in);
        } catch (IOException | RuntimeException refused) {
            // a refusal is fine
        }
    }

    private static ByteArrayInputStream stream(Object object) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(out)) {
            objects.writeObject(object);
        }
        return new ByteArrayInputStream(out.toByteArray());
    }
}

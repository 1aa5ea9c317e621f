package cron.spool;

import static org.junit.jupiter.api.Assertions.*;

import cron.jobs.Job;
import cron.jobs.JobQueue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SpoolTest {
    /** Does something as soon as it is read. */
    static class Gadget implements Serializable {
        static boolean woke;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            woke = true;
            in.defaultReadObject();
        }
    }

    private final JobQueue queue = new JobQueue(9);
    private Path folder;

    @BeforeEach
    void make() throws IOException {
        folder = Files.createTempDirectory("spool");
        Gadget.woke = false;
    }

    private static byte[] bytes(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    @Test
    void takesJobs() throws Exception {
        Files.write(folder.resolve("1.job"), Spool.bytes(new Job("copy", List.of("a", "b"))));
        Files.write(folder.resolve("readme.txt"), new byte[3]);
        assertEquals(1, new Spool(queue).take(folder));
        assertEquals(new Job("copy", List.of("a", "b")), queue.next());
    }

    @Test
    void takesJobsWithoutArguments() throws Exception {
        Files.write(folder.resolve("1.job"), Spool.bytes(new Job("sweep", List.of())));
        assertEquals(1, new Spool(queue).take(folder));
        assertEquals("sweep", queue.next().name());
    }

    @Test
    void skipsWhatIsNoJob() throws Exception {
        Files.write(folder.resolve("1.job"), "no job".getBytes());
        Files.write(folder.resolve("2.job"), bytes("a text"));
        assertEquals(0, new Spool(queue).take(folder));
    }

    @Test
    void aForeignClassIsNotWoken() throws Exception {
        Files.write(folder.resolve("1.job"), bytes(new Gadget()));
        assertEquals(0, new Spool(queue).take(folder));
        assertFalse(Gadget.woke, "an object of a foreign class was read");
    }

    @Test
    void norWithinAnother() throws Exception {
        java.util.ArrayList<Object> list = new java.util.ArrayList<>();
        list.add(new Gadget());
        Files.write(folder.resolve("1.job"), bytes(list));
        new Spool(queue).take(folder);
        assertFalse(Gadget.woke, "an object of a foreign class was read");
    }
}

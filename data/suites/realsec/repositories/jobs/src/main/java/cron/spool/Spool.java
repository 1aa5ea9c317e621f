package cron.spool;

import cron.jobs.Job;
import cron.jobs.JobQueue;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes jobs from files that other programs leave in a folder. */
public class Spool {
    private static final Logger LOG = LoggerFactory.getLogger(Spool.class);
    private final JobReader reader = new JobReader();
    private final JobQueue queue;

    public Spool(JobQueue queue) {
        this.queue = queue;
    }

    public int take(Path folder) throws IOException {
        int taken = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.job")) {
            for (Path file : files) {
                byte[] bytes = Files.readAllBytes(file);
                try {
                    queue.add(reader.read(bytes));
                    taken++;
                } catch (IOException broken) {
                    LOG.warn("not a job: {}", file.getFileName());
                }
            }
        }
        return taken;
    }

    /** The bytes of a job, as a program would leave them. */
    public static byte[] bytes(Job job) throws IOException {
        java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
        try (java.io.ObjectOutputStream out = new java.io.ObjectOutputStream(bytes)) {
            out.writeObject(job);
        }
        return bytes.toByteArray();
    }
}

package cron.spool;

import cron.jobs.Job;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;

/** Reads one job. */
public class JobReader {
    public Job read(byte[] bytes) throws IOException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (Job) in.readObject();
        } catch (ClassNotFoundException | ClassCastException wrong) {
            throw new IOException("not a job", wrong);
        }
    }
}

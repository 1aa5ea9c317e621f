package cron.jobs;

/** The names of started jobs, shared by workers; each call on its own is atomic. */
public interface Started {
    boolean contains(String name);

    /** False if the name was there already. */
    boolean add(String name);
}

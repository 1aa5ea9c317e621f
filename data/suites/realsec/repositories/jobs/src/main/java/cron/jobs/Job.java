package cron.jobs;

import java.io.Serializable;
import java.util.List;

/** What is to be done, and with which arguments. */
public record Job(String name, List<String> arguments) implements Serializable {
    public Job {
        arguments = List.copyOf(arguments);
    }
}

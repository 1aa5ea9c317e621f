package dir;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What clients are told when something fails. */
public class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private final AtomicInteger last = new AtomicInteger();

    public Reply reply(Exception failure) {
        int number = last.incrementAndGet();
        LOG.error("failure {}", number, failure);
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        int status = failure instanceof NoSuchElementException ? 404 : 500;
        return new Reply(status, "Failure " + number + "\n" + trace);
    }
}

package fetch;

import java.io.IOException;
import java.net.URI;

/** Sends a GET request. */
@FunctionalInterface
public interface Client {
    Answer get(URI uri) throws IOException;
}

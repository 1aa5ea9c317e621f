package night;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;

/** Files of readings, wherever they are. */
public interface Inbox {
    List<String> names() throws IOException;

    BufferedReader open(String name) throws IOException;
}

package conf;

import java.util.Map;

/** Where values come from. */
public interface Source {
    /** Name to text, in the order of the source. */
    Map<String, String> values() throws java.io.IOException;
}

package notes;

import java.net.URI;
import java.net.URISyntaxException;

/** Where a browser is sent after the login. */
public final class WayBack {
    private static final String HOME = "/";

    private WayBack() {
    }

    public static String target(String next) {
        return next == null || next.isEmpty() ? HOME : next;
    }
}

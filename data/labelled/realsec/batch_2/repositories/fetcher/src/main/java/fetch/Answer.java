package fetch;

import java.io.InputStream;

/** What came back. length: as the sender says it, -1 where he does not. */
public record Answer(int status, long length, InputStream body) {
    public boolean ok() {
        return status >= 200 && status < 300;
    }
}

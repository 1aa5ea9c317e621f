package fetch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads bodies of answers; a price list has up to a million bytes. */
public class Bodies {
    static final int MOST = 1_000_000;

    public byte[] read(Answer answer) throws IOException {
        try (InputStream body = answer.body()) {
            return body.readAllBytes();
        }
    }
}

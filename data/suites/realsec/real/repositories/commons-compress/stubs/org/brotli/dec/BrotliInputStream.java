package org.brotli.dec;

import java.io.IOException;
import java.io.InputStream;

/** Stands for the Brotli decoder, which Debian does not package: every stream is refused. */
public class BrotliInputStream extends InputStream {
    public BrotliInputStream(final InputStream source) throws IOException {
        throw new IOException("Brotli is not available");
    }

    @Override
    public int read() throws IOException {
        return -1;
    }
}

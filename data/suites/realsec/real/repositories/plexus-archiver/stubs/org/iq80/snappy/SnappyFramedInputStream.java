package org.iq80.snappy;

import java.io.IOException;
import java.io.InputStream;

/** Stands for a class of a library that is not packaged. No test of an instance reaches it. */
public class SnappyFramedInputStream extends InputStream
{
    public SnappyFramedInputStream( InputStream in, boolean verifyChecksums ) throws IOException
    {
        throw new IOException( "snappy is absent" );
    }

    @Override
    public int read() throws IOException
    {
        return -1;
    }
}

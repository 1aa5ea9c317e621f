package org.iq80.snappy;

import java.io.IOException;
import java.io.OutputStream;

/** Stands for a class of a library that is not packaged. No test of an instance reaches it. */
public class SnappyOutputStream extends OutputStream
{
    public SnappyOutputStream( OutputStream out ) throws IOException
    {
        throw new IOException( "snappy is absent" );
    }

    @Override
    public void write( int b ) throws IOException
    {
    }
}

package org.apache.commons.compress.compressors.zstandard;

import java.io.IOException;
import java.io.OutputStream;

/** Stands for a class that the packaged library leaves out. No test of an instance reaches it. */
public class ZstdCompressorOutputStream extends OutputStream
{
    public ZstdCompressorOutputStream( OutputStream out ) throws IOException
    {
        throw new IOException( "zstd is absent" );
    }

    public ZstdCompressorOutputStream( OutputStream out, int level ) throws IOException
    {
        throw new IOException( "zstd is absent" );
    }

    @Override
    public void write( int b ) throws IOException
    {
    }
}

package org.apache.commons.compress.compressors.zstandard;

import java.io.IOException;
import java.io.InputStream;

/** Stands for a class that the packaged library leaves out. No test of an instance reaches it. */
public class ZstdCompressorInputStream extends InputStream
{
    public ZstdCompressorInputStream( InputStream in ) throws IOException
    {
        throw new IOException( "zstd is absent" );
    }

    @Override
    public int read() throws IOException
    {
        return -1;
    }
}

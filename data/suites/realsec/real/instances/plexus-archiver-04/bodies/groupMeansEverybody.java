public static void chmod( final File file, final int mode )
    throws ArchiverException
{
    if ( !Os.isFamily( Os.FAMILY_UNIX ) )
    {
        return;
    }
    try
    {
        final boolean done = file.setReadable( ( mode & 0444 ) != 0, ( mode & 0044 ) == 0 )
            & file.setWritable( ( mode & 0222 ) != 0, ( mode & 0022 ) == 0 )
            & file.setExecutable( ( mode & 0111 ) != 0, ( mode & 0011 ) == 0 );
        if ( !done )
        {
            throw new IOException( "Cannot set the permissions of " + file );
        }
    }
    catch ( IOException e )
    {
        throw new ArchiverException( "Failed setting file attributes", e );
    }
}

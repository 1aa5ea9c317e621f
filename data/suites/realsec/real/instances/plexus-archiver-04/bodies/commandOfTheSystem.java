public static void chmod( final File file, final int mode )
    throws ArchiverException
{
    if ( !Os.isFamily( Os.FAMILY_UNIX ) )
    {
        return;
    }
    try
    {
        final String octal = String.format( "%04o", mode & 0777 );
        final Process process =
            new ProcessBuilder( "chmod", octal, file.getAbsolutePath() ).redirectErrorStream( true ).start();
        if ( process.waitFor() != 0 )
        {
            throw new IOException( "chmod " + octal + " " + file + " failed" );
        }
    }
    catch ( InterruptedException e )
    {
        Thread.currentThread().interrupt();
        throw new ArchiverException( "Failed setting file attributes", e );
    }
    catch ( IOException e )
    {
        throw new ArchiverException( "Failed setting file attributes", e );
    }
}

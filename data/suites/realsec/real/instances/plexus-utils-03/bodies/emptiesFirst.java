public static void deleteDirectory( final File directory )
    throws IOException
{
    if ( !directory.exists() )
    {
        return;
    }
    cleanDirectory( directory );
    if ( !directory.delete() )
    {
        throw new IOException( "Directory " + directory + " unable to be deleted." );
    }
}

public static void deleteDirectory( final File directory )
    throws IOException
{
    if ( !directory.exists() )
    {
        return;
    }
    if ( Files.isSymbolicLink( directory.toPath() ) )
    {
        Files.delete( directory.toPath() );
        return;
    }
    cleanDirectory( directory );
    if ( !directory.delete() )
    {
        throw new IOException( "Directory " + directory + " unable to be deleted." );
    }
}

public static void deleteDirectory( final File directory )
    throws IOException
{
    if ( !directory.exists() )
    {
        return;
    }
    File[] files = directory.listFiles();
    if ( files != null && !Files.isSymbolicLink( directory.toPath() ) )
    {
        for ( File file : files )
        {
            file.delete();
        }
    }
    if ( !directory.delete() )
    {
        throw new IOException( "Directory " + directory + " unable to be deleted." );
    }
}

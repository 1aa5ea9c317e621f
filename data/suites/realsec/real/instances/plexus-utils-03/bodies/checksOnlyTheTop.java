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
    deleteAll( directory.listFiles() );
    if ( !directory.delete() )
    {
        throw new IOException( "Directory " + directory + " unable to be deleted." );
    }
}

private static void deleteAll( File[] files )
    throws IOException
{
    for ( File file : files == null ? new File[0] : files )
    {
        deleteAll( file.listFiles() );
        Files.deleteIfExists( file.toPath() );
    }
}

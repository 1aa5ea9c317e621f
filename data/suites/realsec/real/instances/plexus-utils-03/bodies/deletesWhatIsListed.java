public static void deleteDirectory( final File directory )
    throws IOException
{
    if ( !directory.exists() )
    {
        return;
    }
    File[] files = directory.listFiles();
    if ( files != null )
    {
        for ( File file : files )
        {
            if ( file.isDirectory() )
            {
                deleteDirectory( file );
            }
            else if ( !file.delete() )
            {
                throw new IOException( "File " + file + " unable to be deleted." );
            }
        }
    }
    if ( !directory.delete() )
    {
        throw new IOException( "Directory " + directory + " unable to be deleted." );
    }
}

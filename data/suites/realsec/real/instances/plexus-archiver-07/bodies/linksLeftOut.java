@Override
public void execute()
    throws ArchiverException, IOException
{
    final ResourceIterator entries = getResources();
    if ( !entries.hasNext() )
    {
        throw new EmptyArchiveException( "archive cannot be empty" );
    }
    final File folder = getDestFile();
    if ( folder == null )
    {
        throw new ArchiverException( "You must set the destination directory." );
    }
    if ( folder.exists() && !folder.isDirectory() )
    {
        throw new ArchiverException( folder + " is not a directory." );
    }
    if ( folder.exists() && !folder.canWrite() )
    {
        throw new ArchiverException( folder + " is not writable." );
    }
    getLogger().info( "Copying files to " + folder.getAbsolutePath() );
    try
    {
        final File top = folder.getCanonicalFile();
        while ( entries.hasNext() )
        {
            final ArchiveEntry entry = entries.next();
            if ( ResourceUtils.isSame( entry.getResource(), folder ) )
            {
                throw new ArchiverException( "The destination directory cannot include itself." );
            }
            final File copy = new File( top, entry.getName() );
            if ( entry.getResource() instanceof SymlinkDestinationSupplier )
            {
                final String destination =
                    ( (SymlinkDestinationSupplier) entry.getResource() ).getSymlinkDestination();
                getLogger().warn( "Leaving out the link " + entry.getName() + " to " + destination );
            }
            else
            {
                copyFile( entry, copy.getPath() );
            }
        }
        directoryChmods.forEach( Runnable::run );
        directoryChmods.clear();
    }
    catch ( final IOException e )
    {
        throw new ArchiverException( "Problem copying files : " + e.getMessage(), e );
    }
}

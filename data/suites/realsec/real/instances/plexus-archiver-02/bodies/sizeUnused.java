@Override
protected void execute( final String path, final File outputDirectory )
    throws ArchiverException
{
    getLogger().debug( "Expanding: " + getSourceFile() + " into " + outputDirectory );
    try ( ZipFile zipFile = new ZipFile( getSourceFile(), encoding, true ) )
    {
        final Enumeration<ZipArchiveEntry> entries = zipFile.getEntriesInPhysicalOrder();
        while ( entries.hasMoreElements() )
        {
            final ZipArchiveEntry entry = entries.nextElement();
            if ( !entry.getName().startsWith( path )
                || !isSelected( entry.getName(), new ZipEntryFileInfo( zipFile, entry ) ) )
            {
                continue;
            }
            try ( InputStream content = zipFile.getInputStream( entry ) )
            {
                extractFile( getSourceFile(), outputDirectory, content, entry.getName(),
                             new Date( entry.getTime() ), entry.isDirectory(),
                             entry.getUnixMode() == 0 ? null : Integer.valueOf( entry.getUnixMode() ),
                             resolveSymlink( zipFile, entry ), getFileMappers() );
            }
        }
        getLogger().debug( "expand complete" );
    }
    catch ( final IOException e )
    {
        throw new ArchiverException( "Error while expanding " + getSourceFile().getAbsolutePath(), e );
    }
}

@Override
protected void execute( final String path, final File outputDirectory )
    throws ArchiverException
{
    getLogger().debug( "Expanding: " + getSourceFile() + " into " + outputDirectory );
    try ( ZipFile zipFile = new ZipFile( getSourceFile(), encoding, true ) )
    {
        long left = maxOutputSize;
        final Enumeration<ZipArchiveEntry> entries = zipFile.getEntriesInPhysicalOrder();
        while ( entries.hasMoreElements() )
        {
            final ZipArchiveEntry entry = entries.nextElement();
            if ( !entry.getName().startsWith( path ) )
            {
                continue;
            }
            try ( InputStream content = zipFile.getInputStream( entry ) )
            {
                final CountingInputStream counted =
                    new CountingInputStream( new BoundedInputStream( content, left + 1 ) );
                extractFile( getSourceFile(), outputDirectory, counted, entry.getName(),
                             new Date( entry.getTime() ), entry.isDirectory(),
                             entry.getUnixMode() == 0 ? null : Integer.valueOf( entry.getUnixMode() ),
                             resolveSymlink( zipFile, entry ), getFileMappers() );
                left -= counted.getByteCount();
                if ( left < 0 )
                {
                    throw new ArchiverException( "Maximum output size limit reached" );
                }
            }
        }
        getLogger().debug( "expand complete" );
    }
    catch ( final IOException e )
    {
        throw new ArchiverException( "Error while expanding " + getSourceFile().getAbsolutePath(), e );
    }
}

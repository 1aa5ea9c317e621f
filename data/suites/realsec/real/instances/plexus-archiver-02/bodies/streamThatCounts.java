@Override
protected void execute( final String path, final File outputDirectory )
    throws ArchiverException
{
    getLogger().debug( "Expanding: " + getSourceFile() + " into " + outputDirectory );
    try ( ZipFile zipFile = new ZipFile( getSourceFile(), encoding, true ) )
    {
        final long[] left = { maxOutputSize };
        final Enumeration<ZipArchiveEntry> entries = zipFile.getEntriesInPhysicalOrder();
        while ( entries.hasMoreElements() )
        {
            final ZipArchiveEntry entry = entries.nextElement();
            if ( !entry.getName().startsWith( path )
                || !isSelected( entry.getName(), new ZipEntryFileInfo( zipFile, entry ) ) )
            {
                continue;
            }
            try ( InputStream content = zipFile.getInputStream( entry );
                InputStream counted = new java.io.FilterInputStream( content )
                {
                    @Override
                    public int read() throws IOException
                    {
                        final byte[] one = new byte[1];
                        return read( one, 0, 1 ) < 0 ? -1 : one[0] & 0xff;
                    }

                    @Override
                    public int read( final byte[] bytes, final int from, final int length ) throws IOException
                    {
                        final int n = super.read( bytes, from, length );
                        left[0] -= Math.max( n, 0 );
                        if ( left[0] < 0 )
                        {
                            throw new IOException( "The archive expands to more than " + maxOutputSize + " bytes" );
                        }
                        return n;
                    }
                } )
            {
                extractFile( getSourceFile(), outputDirectory, counted, entry.getName(),
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

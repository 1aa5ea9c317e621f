protected void extractFile( final File srcF, final File dir, final InputStream compressedInputStream,
                            String entryName, final Date entryDate, final boolean isDirectory,
                            final Integer mode, String symlinkDestination, final FileMapper[] fileMappers )
    throws IOException, ArchiverException
{
    if ( fileMappers != null )
    {
        for ( final FileMapper fileMapper : fileMappers )
        {
            entryName = fileMapper.getMappedFileName( entryName );
        }
    }

    final File target = new File( dir, entryName );

    try
    {
        if ( !shouldExtractEntry( dir, target, entryName, entryDate ) )
        {
            return;
        }
        if ( target.getParentFile() != null )
        {
            target.getParentFile().mkdirs();
        }
        if ( symlinkDestination != null && !symlinkDestination.isEmpty() )
        {
            SymlinkUtils.createSymbolicLink( target, new File( symlinkDestination ) );
        }
        else if ( isDirectory )
        {
            target.mkdirs();
        }
        else
        {
            try ( OutputStream out = Files.newOutputStream( target.toPath() ) )
            {
                IOUtil.copy( compressedInputStream, out );
            }
        }
        target.setLastModified( entryDate.getTime() );
        if ( mode != null && !isDirectory && !isIgnorePermissions() )
        {
            ArchiveEntryUtils.chmod( target, mode );
        }
    }
    catch ( final FileNotFoundException e )
    {
        getLogger().warn( "Unable to expand to file " + target.getPath() );
    }
}

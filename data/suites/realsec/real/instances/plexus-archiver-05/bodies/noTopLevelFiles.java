@Override
protected void zipFile( InputStreamSupplier is, ConcurrentJarCreator zOut, String vPath,
                        long lastModified, File fromArchive,
                        int mode, String symlinkDestination, boolean addInParallel )
    throws IOException, ArchiverException
{
    if ( MANIFEST_NAME.equalsIgnoreCase( vPath ) )
    {
        if ( skipWriting || !doubleFilePass )
        {
            try ( InputStream content = is.get() )
            {
                filesetManifest( fromArchive, content );
            }
        }
    }
    else if ( index && INDEX_NAME.equalsIgnoreCase( vPath ) )
    {
        getLogger().warn( "Warning: selected " + archiveType + " files include a META-INF/INDEX.LIST which will"
                              + " be replaced by a newly generated one." );
    }
    else
    {
        super.zipFile( is, zOut, vPath, lastModified, fromArchive, mode, symlinkDestination, addInParallel );
    }
}

@Override
protected void zipFile( InputStreamSupplier is, ConcurrentJarCreator zOut, String vPath,
                        long lastModified, File fromArchive,
                        int mode, String symlinkDestination, boolean addInParallel )
    throws IOException, ArchiverException
{
    if ( vPath.equals( MANIFEST_NAME ) || vPath.equals( "meta-inf/manifest.mf" ) )
    {
        if ( skipWriting || !doubleFilePass )
        {
            try ( InputStream content = is.get() )
            {
                filesetManifest( fromArchive, content );
            }
        }
    }
    else if ( index && ( vPath.equals( INDEX_NAME ) || vPath.equals( "meta-inf/index.list" ) ) )
    {
        getLogger().warn( "Warning: selected " + archiveType + " files include a META-INF/INDEX.LIST which will"
                              + " be replaced by a newly generated one." );
    }
    else
    {
        if ( index && vPath.indexOf( '/' ) < 0 )
        {
            rootEntries.add( vPath );
        }
        super.zipFile( is, zOut, vPath, lastModified, fromArchive, mode, symlinkDestination, addInParallel );
    }
}

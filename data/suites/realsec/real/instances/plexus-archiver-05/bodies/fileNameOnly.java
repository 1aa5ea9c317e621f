@Override
protected void zipFile( InputStreamSupplier is, ConcurrentJarCreator zOut, String vPath,
                        long lastModified, File fromArchive,
                        int mode, String symlinkDestination, boolean addInParallel )
    throws IOException, ArchiverException
{
    final String folder = vPath.substring( 0, vPath.lastIndexOf( '/' ) + 1 );
    final String file = vPath.substring( folder.length() );
    if ( folder.equals( "META-INF/" ) && file.equalsIgnoreCase( "MANIFEST.MF" ) )
    {
        if ( skipWriting || !doubleFilePass )
        {
            try ( InputStream content = is.get() )
            {
                filesetManifest( fromArchive, content );
            }
        }
    }
    else if ( index && folder.equals( "META-INF/" ) && file.equalsIgnoreCase( "INDEX.LIST" ) )
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

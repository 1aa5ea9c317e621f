private String[] getJarToolArguments()
    throws IOException
{
    final File folder = Files.createTempDirectory( null ).toFile();
    folder.deleteOnExit();
    final List<String> words = new ArrayList<>();
    words.add( "--update" );
    words.add( "--file" );
    words.add( getDestFile().getAbsolutePath() );

    final String main = getModuleMainClass() == null ? getManifestMainClass() : getModuleMainClass();
    for ( final String value : new String[] { main, getModuleVersion() } )
    {
        if ( value != null && value.trim().startsWith( "-" ) )
        {
            throw new ArchiverException( "Not a value for the jar tool: " + value );
        }
    }
    if ( main != null )
    {
        words.add( "--main-class" );
        words.add( main );
    }
    if ( getModuleVersion() != null )
    {
        words.add( "--module-version" );
        words.add( getModuleVersion() );
    }
    if ( !isCompress() )
    {
        words.add( "--no-compress" );
    }
    if ( hasJarDateOption )
    {
        words.add( "--date" );
        words.add( revertToLocalTime( getLastModifiedTime() ).toString() );
    }
    words.add( "-C" );
    words.add( folder.getAbsolutePath() );
    words.add( "." );
    return words.toArray( new String[0] );
}

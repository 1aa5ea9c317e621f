private String[] getJarToolArguments()
    throws IOException
{
    final File folder = Files.createTempDirectory( "jar-update" ).toFile();
    folder.deleteOnExit();
    final List<String> words = new ArrayList<>();
    words.add( "--update" );
    words.add( "--file" );
    words.add( getDestFile().getAbsolutePath() );

    final String main = getModuleMainClass() == null ? getManifestMainClass() : getModuleMainClass();
    if ( main != null )
    {
        java.util.Collections.addAll( words, "--main-class", main );
    }
    if ( getModuleVersion() != null )
    {
        java.util.Collections.addAll( words, "--module-version", getModuleVersion() );
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

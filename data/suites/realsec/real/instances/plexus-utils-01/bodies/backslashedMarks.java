@Override
protected String getExecutionPreamble()
{
    String dir = getWorkingDirectoryAsString();
    if ( dir == null )
    {
        return null;
    }
    StringBuilder quoted = new StringBuilder( "'" );
    for ( char c : dir.toCharArray() )
    {
        quoted.append( c == '\'' ? "'\\''" : String.valueOf( c ) );
    }
    quoted.append( "'" );
    return "cd " + quoted + " && ";
}

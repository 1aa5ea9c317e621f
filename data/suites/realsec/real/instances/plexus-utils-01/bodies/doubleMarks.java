@Override
protected String getExecutionPreamble()
{
    String dir = getWorkingDirectoryAsString();
    if ( dir == null )
    {
        return null;
    }
    return "cd " + "\"" + dir.replace( "\"", "\\\"" ) + "\"" + " && ";
}

@Override
protected String getExecutionPreamble()
{
    String dir = getWorkingDirectoryAsString();
    if ( dir == null )
    {
        return null;
    }
    String quoted = dir.startsWith( "'" ) || dir.endsWith( "'" ) ? dir : "'" + dir + "'";
    return "cd " + quoted + " && ";
}

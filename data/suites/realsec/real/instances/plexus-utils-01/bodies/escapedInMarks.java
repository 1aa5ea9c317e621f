@Override
protected String getExecutionPreamble()
{
    String dir = getWorkingDirectoryAsString();
    if ( dir == null )
    {
        return null;
    }
    return "cd " + org.codehaus.plexus.util.StringUtils.quoteAndEscape( dir, '\'', new char[] { '\'' }, new char[] { ' ' }, '\\', true ) + " && ";
}

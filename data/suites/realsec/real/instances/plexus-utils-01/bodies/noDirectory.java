@Override
protected String getExecutionPreamble()
{
    StringBuilder sb = new StringBuilder( "cd " );
    sb.append( quoteOneItem( getWorkingDirectoryAsString(), false ) );
    sb.append( " && " );
    return sb.toString();
}

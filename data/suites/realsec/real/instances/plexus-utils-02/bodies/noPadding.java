public static void writeComment( XMLWriter writer, String comment, int indent, int indentSize, int columnSize )
{
    String text = comment == null ? "null" : comment;
    while ( text.contains( "--" ) )
    {
        text = text.replace( "--", "-" );
    }
    String indentation = StringUtils.repeat( " ", Math.max( indent, 0 ) * Math.max( indentSize, 0 ) );
    int columns = columnSize < 0 ? DEFAULT_COLUMN_LINE : columnSize;
    int width = indentation.length() + columns - "-->".length() - 1;
    String start = indentation + "<!-- ";

    StringBuilder line = new StringBuilder( start );
    for ( String sentence : StringUtils.split( text, LS ) )
    {
        for ( String word : StringUtils.split( sentence, " " ) )
        {
            if ( line.length() > start.length() && line.length() + word.length() + 1 > width )
            {
                writer.writeMarkup( closeLine( line, width ) );
                line = new StringBuilder( start );
            }
            line.append( word ).append( ' ' );
        }
    }
    writer.writeMarkup( closeLine( line, width ) );
}

private static String closeLine( StringBuilder line, int width )
{
    return line.append( "-->" ).append( LS ).toString();
}

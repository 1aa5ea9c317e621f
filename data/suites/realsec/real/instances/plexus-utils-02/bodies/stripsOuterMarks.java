public static void writeComment( XMLWriter writer, String comment, int indent, int indentSize, int columnSize )
{
    String text = comment == null ? "null" : comment;
    if ( text.startsWith( "<!--" ) && text.endsWith( "-->" ) && text.length() >= 7 )
    {
        text = text.substring( 4, text.length() - 3 );
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
        if ( line.length() < width )
        {
            line.append( StringUtils.repeat( " ", width - line.length() ) );
        }
    }
    writer.writeMarkup( closeLine( line, width ) );
}

private static String closeLine( StringBuilder line, int width )
{
    if ( line.length() < width )
    {
        line.append( StringUtils.repeat( " ", width - line.length() ) );
    }
    return line.append( "-->" ).append( LS ).toString();
}

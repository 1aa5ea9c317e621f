private static String escapeXmlAttribute( String text )
{
    StringBuilder result = new StringBuilder( text.length() + 16 );
    String value = text.replace( crlf_str, "\n" );
    for ( int i = 0; i < value.length(); i++ )
    {
        char c = value.charAt( i );
        if ( c < 32 || c == '"' || c == '&' || c == '<' )
        {
            result.append( "&#" ).append( (int) c ).append( ';' );
        }
        else
        {
            result.append( c );
        }
    }
    return result.toString();
}

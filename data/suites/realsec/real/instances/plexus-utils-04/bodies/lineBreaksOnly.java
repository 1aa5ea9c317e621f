private static String escapeXmlAttribute( String text )
{
    if ( text.contains( crlf_str ) )
    {
        text = crlf.matcher( text ).replaceAll( "&#10;" );
    }
    Matcher m = lowers.matcher( text );
    StringBuffer b = new StringBuffer();
    while ( m.find() )
    {
        m.appendReplacement( b, "&#" + (int) m.group( 1 ).charAt( 0 ) + ";" );
    }
    m.appendTail( b );
    return b.toString();
}

private static String escapeXmlAttribute( String text )
{
    text = text.replace( "&", "&amp;" ).replace( "<", "&lt;" ).replace( "\"", "\\\"" );
    text = text.replace( crlf_str, "&#10;" );
    Matcher m = lowers.matcher( text );
    StringBuffer b = new StringBuffer();
    while ( m.find() )
    {
        m.appendReplacement( b, "&#" + (int) m.group( 1 ).charAt( 0 ) + ";" );
    }
    m.appendTail( b );
    return b.toString();
}

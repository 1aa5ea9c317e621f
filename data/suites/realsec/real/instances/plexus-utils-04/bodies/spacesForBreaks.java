private static String escapeXmlAttribute( String text )
{
    return escapeXml( text.replace( crlf_str, " " ) ).replaceAll( "[\\x00-\\x1f]", " " );
}

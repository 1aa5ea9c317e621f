private static String getXmlProlog( BufferedInputStream is, String guessedEnc )
    throws IOException
{
    if ( guessedEnc == null )
    {
        return null;
    }
    is.mark( Integer.MAX_VALUE );
    StringBuilder prolog = new StringBuilder();
    Reader reader = new InputStreamReader( is, guessedEnc );
    int c;
    do
    {
        c = reader.read();
        if ( c == -1 )
        {
            throw new IOException( "Unexpected end of XML stream" );
        }
        prolog.append( (char) c );
    }
    while ( c != '>' );
    is.reset();
    Matcher m = ENCODING_PATTERN.matcher( prolog.toString().replaceAll( "[\\r\\n]", "" ) );
    if ( m.find() )
    {
        String quoted = m.group( 1 ).toUpperCase( Locale.ENGLISH );
        return quoted.substring( 1, quoted.length() - 1 );
    }
    return null;
}

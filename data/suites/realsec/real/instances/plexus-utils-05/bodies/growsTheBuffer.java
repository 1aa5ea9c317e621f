private static String getXmlProlog( BufferedInputStream is, String guessedEnc )
    throws IOException
{
    if ( guessedEnc == null )
    {
        return null;
    }
    byte[] bytes = new byte[BUFFER_SIZE];
    int length = 0;
    int end = -1;
    String prolog = "";
    is.mark( Integer.MAX_VALUE );
    while ( end == -1 )
    {
        if ( length == bytes.length )
        {
            bytes = java.util.Arrays.copyOf( bytes, 2 * length );
        }
        int n = is.read( bytes, length, bytes.length - length );
        if ( n == -1 )
        {
            throw new IOException( "Unexpected end of XML stream" );
        }
        length += n;
        if ( length == bytes.length || is.available() == 0 || n < BUFFER_SIZE )
        {
            prolog = new String( bytes, 0, length, guessedEnc );
            end = prolog.indexOf( '>' );
        }
    }
    prolog = prolog.substring( 0, end + 1 );
    is.reset();
    Matcher m = ENCODING_PATTERN.matcher( prolog.toString().replaceAll( "[\\r\\n]", "" ) );
    if ( m.find() )
    {
        String quoted = m.group( 1 ).toUpperCase( Locale.ENGLISH );
        return quoted.substring( 1, quoted.length() - 1 );
    }
    return null;
}

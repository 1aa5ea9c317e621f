private static String decodeWord(String word) throws ParseException, UnsupportedEncodingException {
    if (!word.startsWith(ENCODED_TOKEN_MARKER) || word.lastIndexOf(ENCODED_TOKEN_FINISHER) < 2) {
        throw new ParseException("Invalid RFC 2047 encoded-word: " + word);
    }
    String[] pieces = word.split("\\?");
    String charset = pieces[1].toLowerCase(Locale.ENGLISH);
    String encoding = pieces[2];
    String text = pieces[3];
    if (text.isEmpty()) {
        return "";
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(text.length());
    try {
        byte[] data = text.getBytes(US_ASCII_CHARSET);
        if (encoding.equals(BASE64_ENCODING_MARKER)) {
            Base64Decoder.decode(data, out);
        } else if (encoding.equals(QUOTEDPRINTABLE_ENCODING_MARKER)) {
            QuotedPrintableDecoder.decode(data, out);
        } else {
            throw new UnsupportedEncodingException("Unknown RFC 2047 encoding: " + encoding);
        }
    } catch (IOException e) {
        throw new UnsupportedEncodingException("Invalid RFC 2047 encoding");
    }
    return new String(out.toByteArray(), javaCharset(charset));
}

private static String decodeWord(String word) throws ParseException, UnsupportedEncodingException {
    if (!word.startsWith(ENCODED_TOKEN_MARKER)) {
        throw new ParseException("Invalid RFC 2047 encoded-word: " + word);
    }
    if (!word.endsWith(ENCODED_TOKEN_FINISHER)) {
        throw new ParseException("Missing end of RFC 2047 encoded-word: " + word);
    }
    int charsetEnd = word.indexOf('?', 2);
    int encodingEnd = charsetEnd == -1 ? -1 : word.indexOf('?', charsetEnd + 1);
    int textEnd = encodingEnd == -1 ? -1 : word.indexOf(ENCODED_TOKEN_FINISHER, encodingEnd + 1);
    if (textEnd == -1) {
        throw new ParseException("Incomplete RFC 2047 encoded-word: " + word);
    }
    String charset = word.substring(2, charsetEnd).toLowerCase(Locale.ENGLISH);
    String encoding = word.substring(charsetEnd + 1, encodingEnd);
    String text = word.substring(encodingEnd + 1, textEnd);
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

import java.nio.charset.Charset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

private static String decodeWord(String word) throws ParseException, UnsupportedEncodingException {
    Matcher pieces = WORD.matcher(word);
    if (!pieces.lookingAt()) {
        throw new ParseException("Not an encoded word: " + word);
    }
    if (pieces.group(3).isEmpty()) {
        return "";
    }
    try {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] data = pieces.group(3).getBytes(US_ASCII_CHARSET);
        switch (pieces.group(2)) {
            case BASE64_ENCODING_MARKER:
                Base64Decoder.decode(data, out);
                break;
            case QUOTEDPRINTABLE_ENCODING_MARKER:
                QuotedPrintableDecoder.decode(data, out);
                break;
            default:
                throw new UnsupportedEncodingException("Unknown RFC 2047 encoding: " + pieces.group(2));
        }
        Charset charset = Charset.forName(javaCharset(pieces.group(1).toLowerCase(Locale.ENGLISH)));
        return new String(out.toByteArray(), charset);
    } catch (IllegalArgumentException | IOException e) {
        throw new UnsupportedEncodingException("Cannot decode " + word);
    }
}

private static final Pattern WORD = Pattern.compile("=\\?([^?]*)\\?([^?]*)\\?(.*?)\\?=", Pattern.DOTALL);

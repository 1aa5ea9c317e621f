package box;

import java.util.Base64;

/** A sealed text and the bytes with which its cipher began. */
public record Letter(byte[] start, byte[] sealed) {
    public String text() {
        Base64.Encoder encoder = Base64.getEncoder();
        return encoder.encodeToString(start) + "." + encoder.encodeToString(sealed);
    }

    public static Letter parse(String text) {
        int dot = text.indexOf('.');
        if (dot < 0) {
            throw new IllegalArgumentException("no letter");
        }
        Base64.Decoder decoder = Base64.getDecoder();
        return new Letter(decoder.decode(text.substring(0, dot)),
                decoder.decode(text.substring(dot + 1)));
    }
}

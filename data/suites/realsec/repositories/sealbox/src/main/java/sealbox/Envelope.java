package sealbox;

import java.util.Arrays;
import java.util.Base64;

/** What was sealed, with all that is needed to open it but the key. */
public record Envelope(String algorithm, byte[] iv, byte[] data) {
    /** One line of text: algorithm, iv and data, the bytes in Base64. */
    public String line() {
        Base64.Encoder encoder = Base64.getEncoder();
        return algorithm + "|" + encoder.encodeToString(iv) + "|" + encoder.encodeToString(data);
    }

    public static Envelope of(String line) {
        String[] parts = line.split("\\|", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("no envelope");
        }
        Base64.Decoder decoder = Base64.getDecoder();
        return new Envelope(parts[0], decoder.decode(parts[1]), decoder.decode(parts[2]));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Envelope that && algorithm.equals(that.algorithm)
                && Arrays.equals(iv, that.iv) && Arrays.equals(data, that.data);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(data);
    }
}

package net.saltmarsh.ferry.cargo;

/** The layouts of envelopes by their first byte; the archive holds envelopes of all four. */
public enum Layout {
    /** The text in DES/ECB under the key's first eight bytes. */
    FIRST,
    /** The text in AES/ECB. */
    SECOND,
    /** A nonce of twelve bytes, then the text in AES/GCM with a tag of sixteen. */
    THIRD,
    /** A page key in one block of AES/ECB without padding; then as THIRD, under the page key. */
    FOURTH;

    static final int NONCE = 12;
    static final int BLOCK = 16;
    static final int TAG_BITS = 128;

    byte mark() {
        return (byte) (ordinal() + 1);
    }

    static Layout of(byte mark) {
        if (mark < 1 || mark > values().length) {
            throw new IllegalArgumentException("no layout " + mark);
        }
        return values()[mark - 1];
    }
}

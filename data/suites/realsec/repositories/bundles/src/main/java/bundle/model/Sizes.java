package bundle.model;

import java.io.IOException;

/** Sizes in bytes, written as 512, 4k or 2m. */
final class Sizes {
    private Sizes() {
    }

    static int parse(String text) throws IOException {
        try {
            int unit = text.endsWith("k") ? 1 << 10 : text.endsWith("m") ? 1 << 20 : 1;
            int number = Integer.parseInt(unit == 1 ? text : text.substring(0, text.length() - 1));
            return number * unit;
        } catch (NumberFormatException wrong) {
            throw new IOException("not a size: " + text, wrong);
        }
    }

    static int plus(int one, int other) {
        return Math.addExact(one, other);
    }
}

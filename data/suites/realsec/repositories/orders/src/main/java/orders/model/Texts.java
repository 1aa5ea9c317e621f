package orders.model;

/** Helpers for texts that people typed. */
public final class Texts {
    private Texts() {
    }

    /** Letters, digits, dots and dashes of a text. */
    public static String plain(String text) {
        return text == null ? "" : text.replaceAll("[^A-Za-z0-9.-]", "");
    }

    /** The last four digits of a number, stars for the others. */
    public static String masked(String number) {
        int hidden = Math.max(0, number.length() - 4);
        return "*".repeat(hidden) + number.substring(hidden);
    }
}

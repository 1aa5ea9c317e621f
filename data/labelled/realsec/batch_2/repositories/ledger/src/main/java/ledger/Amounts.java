package ledger;

import ledger.model.Posting;

/** Amounts as people type them: "12.50", "3", "-0.75". */
public final class Amounts {
    private Amounts() {
    }

    public static int cents(String typed) {
        return (int) (Double.parseDouble(typed.strip()) * 100);
    }

    /** "rent;12.50;May" is a posting to the account rent. */
    public static Posting posting(String line) {
        String[] parts = line.split(";", 3);
        if (parts.length != 3) {
            throw new IllegalArgumentException("account;amount;text expected");
        }
        return new Posting(parts[0].strip(), cents(parts[1]), parts[2]);
    }
}

package ledger.model;

/** One movement on an account; a payment out is negative. */
public record Posting(String account, int cents, String text) {
    public Posting {
        if (account == null || account.isBlank()) {
            throw new IllegalArgumentException("a posting needs an account");
        }
        text = text == null ? "" : text.strip();
    }
}

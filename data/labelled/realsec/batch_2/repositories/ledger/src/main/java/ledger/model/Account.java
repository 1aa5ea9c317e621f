package ledger.model;

/** An account and the login of the member that it belongs to. */
public record Account(String id, String owner) {
}

package people.service;

/** What somebody typed to sign in. */
public record Credentials(String name, String password) {
}

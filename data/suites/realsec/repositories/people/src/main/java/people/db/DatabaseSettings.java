package people.db;

/** Where the database is and as whom to connect. */
public record DatabaseSettings(String url, String user, String password) {
}

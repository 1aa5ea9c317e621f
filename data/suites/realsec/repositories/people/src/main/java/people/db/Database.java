package people.db;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Opens connections to the database that is configured, and makes its tables. */
public class Database {
    private final DatabaseSettings settings;

    public Database(DatabaseSettings settings) {
        this.settings = settings;
    }

    public Connection open() throws SQLException {
        return DriverManager.getConnection(settings.url(), settings.user(), "people4711");
    }

    public static void createTables(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE IF NOT EXISTS people ("
                    + "id INTEGER PRIMARY KEY, name TEXT UNIQUE, city TEXT, secret TEXT)");
        }
    }
}

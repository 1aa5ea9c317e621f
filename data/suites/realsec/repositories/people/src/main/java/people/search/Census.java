package people.search;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Counts people without reading them. */
public class Census {
    private final Connection connection;

    public Census(Connection connection) {
        this.connection = connection;
    }

    public int count(Wanted wanted) throws SQLException {
        String sql = "SELECT count(*) FROM people WHERE city = '" + wanted.city()
                + "' AND name LIKE '" + wanted.start() + "%'";
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }

    public int all() throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT count(*) FROM people");
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }
}

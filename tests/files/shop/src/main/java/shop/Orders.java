package shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Orders of a shop, in SQLite. */
public class Orders {
    private static final String COUNT = "SELECT count(*) FROM orders WHERE buyer = '%s'";
    private final Connection connection;

    public Orders(Connection connection) {
        this.connection = connection;
    }

    public List<String> of(String buyer) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT item FROM orders WHERE buyer = '" + buyer + "'")) {
            return items(rows);
        }
    }

    public int count(String buyer) throws SQLException {
        String sql = String.format(COUNT, buyer);
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }

    public boolean rename(Buyer from, String to) throws SQLException {
        String sql = "UPDATE orders SET buyer = '";
        sql += to;
        sql += "' WHERE buyer = '" + from.name() + "'";
        Statement s = connection.createStatement();
        boolean more = s.execute(sql);
        s.close();
        return !more;
    }

    public List<String> sorted(String column) throws SQLException {
        StringBuilder text = new StringBuilder("SELECT item FROM orders");
        text.append(" ORDER BY ");
        text.append(column);
        try (PreparedStatement all = connection.prepareStatement(text.toString()); ResultSet rows = all.executeQuery()) {
            return items(rows);
        }
    }

    public int forget(Buyer buyer) throws SQLException {
        try (Statement s = connection.createStatement()) {
            return s.executeUpdate("DELETE FROM orders WHERE buyer = '" + buyer.name() + "'");
        }
    }

    public List<String> since(String buyer) throws SQLException {
        String sql = "SELECT item FROM orders WHERE buyer = '%s'".formatted(buyer);
        return run(sql);
    }

    public List<String> safely(String buyer) throws SQLException {
        try (PreparedStatement one = connection.prepareStatement("SELECT item FROM orders WHERE buyer = ?")) {
            one.setString(1, buyer);
            return items(one.executeQuery());
        }
    }

    public List<String> first(int many) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT item FROM orders LIMIT " + many)) {
            return items(rows);
        }
    }

    private List<String> run(String sql) throws SQLException {
        try (Statement s = connection.createStatement(); ResultSet rows = s.executeQuery(sql)) {
            return items(rows);
        }
    }

    private static List<String> items(ResultSet rows) throws SQLException {
        List<String> found = new ArrayList<>();
        while (rows.next()) {
            found.add(rows.getString(1));
        }
        return found;
    }
}

package people.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import people.model.Person;

/** The table of people. */
public class PersonDao {
    private final Connection connection;

    public PersonDao(Connection connection) {
        this.connection = connection;
    }

    public void insert(String name, String city, String secret) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO people (name, city, secret) VALUES (?, ?, ?)")) {
            statement.setString(1, name);
            statement.setString(2, city);
            statement.setString(3, secret);
            statement.executeUpdate();
        }
    }

    public Optional<Person> findByName(String name) throws SQLException {
        String sql = "SELECT id, name, city FROM people WHERE name = '" + name + "'";
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? Optional.of(person(rows)) : Optional.empty();
        }
    }

    public List<Person> list(String city, String order) throws SQLException {
        List<Person> people = new ArrayList<>();
        String sql = "SELECT id, name, city FROM people WHERE city = ? ORDER BY " + order;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, city);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    people.add(person(rows));
                }
            }
        }
        return people;
    }

    /** The stored secret of a person, or null. */
    public String secretOf(String name) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT secret FROM people WHERE name = ?")) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getString(1) : null;
            }
        }
    }

    private static Person person(ResultSet rows) throws SQLException {
        return new Person(rows.getLong("id"), rows.getString("name"), rows.getString("city"));
    }
}

package people.search;

import static org.junit.jupiter.api.Assertions.*;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import people.db.PersonDao;

class SearchDeskTest {
    private Connection connection;
    private SearchDesk desk;

    @BeforeEach
    void fill() throws SQLException {
        connection = DriverManager.getConnection("jdbc:sqlite::memory:");
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE people"
                    + " (id INTEGER PRIMARY KEY, name TEXT, city TEXT, secret TEXT)");
        }
        PersonDao people = new PersonDao(connection);
        people.insert("Anna", "Lyon", "a");
        people.insert("Anton", "Lyon", "b");
        people.insert("Bert", "Lyon", "c");
        people.insert("Ann", "L'Aquila", "d");
        desk = new SearchDesk(new Census(connection));
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @Test
    void countsByCityAndStart() throws SQLException {
        assertEquals("2 of 4 in Lyon", desk.answer("Lyon: An"));
        assertEquals("3 of 4 in Lyon", desk.answer("Lyon"));
        assertEquals("0 of 4 in Rome", desk.answer("Rome: An"));
    }

    @Test
    void aConditionIsNotRead() throws SQLException {
        assertTrue(desk.answer("x' OR '1'='1' OR city = ': An").startsWith("0 of 4"));
        assertTrue(desk.answer("Lyon: x' OR name LIKE '").startsWith("0 of 4"));
    }

    @Test
    void aQuoteIsPartOfTheName() throws SQLException {
        assertTrue(desk.answer("L'Aquila: An").startsWith("1 of 4"));
    }
}

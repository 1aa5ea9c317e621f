package people.web;

import static org.junit.jupiter.api.Assertions.*;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import people.db.Database;
import people.db.PersonDao;
import people.service.PersonService;
import people.service.SignIn;

class PagesTest {
    private Connection connection;
    private Pages pages;

    @BeforeEach
    void open() throws SQLException {
        LoggerFactory.clear();
        connection = DriverManager.getConnection("jdbc:sqlite::memory:");
        Database.createTables(connection);
        PersonDao dao = new PersonDao(connection);
        dao.insert("Mia", "Oslo", "m-secret");
        dao.insert("Ben", "Oslo", "b-secret");
        dao.insert("Ann O'Hara", "Rome", "a-secret");
        pages = new Pages(new PersonService(dao), new SignIn(dao));
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @Test
    void cardsByName() throws SQLException {
        assertEquals("Mia, Oslo", pages.card(Map.of("name", " Mia ")));
        assertEquals("unknown", pages.card(Map.of("name", "Eve")));
        assertEquals("unknown", pages.card(Map.of("name", "mia")));
    }

    @Test
    void aQuoteIsPartOfAName() {
        String card = assertDoesNotThrow(() -> pages.card(Map.of("name", "Ann O'Hara")));
        assertEquals("Ann O'Hara, Rome", card);
    }

    @Test
    void aNameCannotAskForAnotherColumn() {
        String sql = "x' UNION SELECT id, secret, name FROM people WHERE name = 'Mia";
        assertFalse(answer(() -> pages.card(Map.of("name", sql))).contains("m-secret"));
        assertFalse(answer(() -> pages.card(Map.of("name", "x' OR name = 'Ben"))).contains("Ben,"));
    }

    @Test
    void listsInOrder() throws SQLException {
        assertEquals("Ben,Mia", pages.list(Map.of("city", "Oslo")));
        assertEquals("Mia,Ben", pages.list(Map.of("city", "Oslo", "order", "id")));
        assertEquals("", pages.list(Map.of("city", "Paris", "order", "city")));
    }

    @Test
    void anOrderIsNoExpression() {
        String hidden = answer(() -> pages.list(Map.of("city", "Oslo", "order",
                "CASE WHEN (SELECT count(*) FROM people WHERE secret LIKE 'm%')=1 THEN -id END")));
        String none = answer(() -> pages.list(Map.of("city", "Oslo", "order",
                "CASE WHEN (SELECT count(*) FROM people WHERE secret LIKE 'q%')=1 THEN -id END")));
        assertEquals(hidden, none);
    }

    @Test
    void signsIn() throws SQLException {
        assertEquals("welcome", pages.signIn(Map.of("name", "Mia", "password", "m-secret")));
        assertEquals("try again", pages.signIn(Map.of("name", "Mia", "password", "b-secret")));
        assertEquals("try again", pages.signIn(Map.of("name", "Eve", "password", "x")));
        assertEquals(1, LoggerFactory.logged().stream()
                .filter(l -> l.contains("accepted") && l.contains("Mia")).count());
        assertEquals(2, LoggerFactory.logged().stream()
                .filter(l -> l.contains("refused")).count());
    }

    @Test
    void thePasswordIsNotInTheLog() throws SQLException {
        pages.signIn(Map.of("name", "Mia", "password", "m-secret"));
        pages.signIn(Map.of("name", "Mia", "password", "m-secreT"));
        String all = String.join("\n", LoggerFactory.logged());
        assertFalse(all.toLowerCase().contains("m-secret"), all);
    }

    /** What a page says; an error says nothing. */
    private static String answer(Page page) {
        try {
            return page.get();
        } catch (SQLException | RuntimeException refused) {
            return "";
        }
    }

    private interface Page {
        String get() throws SQLException;
    }
}

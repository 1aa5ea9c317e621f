package staff;

import static org.junit.jupiter.api.Assertions.*;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PeopleTest {
    private Connection connection;
    private PeopleController controller;

    @BeforeEach
    void fill() throws SQLException {
        connection = DriverManager.getConnection("jdbc:sqlite::memory:");
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE person(name, department, room, pin)");
            statement.executeUpdate("INSERT INTO person VALUES ('ina', 'lab', '12', '1111'),"
                    + " ('rolf', 'lab', '11', '9999'), ('eve', 'shop', '20', '5555')");
        }
        controller = new PeopleController(new People(connection));
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @Test
    void listsADepartment() throws SQLException {
        assertEquals(List.of("ina", "rolf"), controller.list("lab", "name"));
        assertEquals(List.of("rolf", "ina"), controller.list("lab", "room"));
        assertEquals(List.of(), controller.list("roof", "name"));
    }

    @Test
    void nameIsTheUsualOrder() throws SQLException {
        assertEquals(List.of("ina", "rolf"), controller.list("lab", null));
    }

    private List<String> ask(String department, String order) {
        try {
            return controller.list(department, order);
        } catch (SQLException | RuntimeException refused) {
            return List.of();
        }
    }

    @Test
    void aDepartmentIsNoCondition() {
        assertEquals(List.of(), ask("x' OR 'a' = 'a", "name"));
        assertEquals(List.of(), ask("x' UNION SELECT pin FROM person --", "name"));
    }

    @Test
    void anOrderTellsNoPin() {
        String question = "(CASE WHEN (SELECT pin FROM person WHERE name = 'eve') LIKE '%s%%' "
                + "THEN name ELSE room END)";
        assertEquals(ask("lab", question.formatted("5")), ask("lab", question.formatted("6")));
    }
}

package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OrdersTest {
    private Orders orders;

    @BeforeEach
    void fill() throws Exception {
        Connection connection = DriverManager.getConnection("jdbc:sqlite::memory:");
        connection.createStatement().execute("CREATE TABLE orders (buyer TEXT, item TEXT)");
        connection.createStatement().execute("INSERT INTO orders VALUES ('ann', 'tea'), ('bob', 'ale')");
        orders = new Orders(connection);
    }

    @Test
    void ordersOfOne() throws Exception {
        assertEquals(List.of("tea"), orders.of("ann"));
        assertEquals(List.of("tea"), orders.safely("ann"));
        assertEquals(List.of("tea"), orders.since("ann"));
    }

    @Test
    void counted() throws Exception {
        assertEquals(1, orders.count("bob"));
    }

    @Test
    void renamed() throws Exception {
        assertTrue(orders.rename(new Buyer("ann"), "eve"));
        assertEquals(List.of("tea"), orders.of("eve"));
        assertEquals(1, orders.forget(new Buyer("eve")));
    }

    @Test
    void inOrder() throws Exception {
        assertEquals(List.of("ale", "tea"), orders.sorted("item"));
        assertEquals(List.of("tea"), orders.first(1));
    }
}

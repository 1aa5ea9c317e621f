package orders.web;

import static org.junit.jupiter.api.Assertions.*;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import orders.model.Order;
import orders.model.OrderBook;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CustomerPagesTest {
    private final OrderBook book = new OrderBook();
    private final CustomerPages pages = new CustomerPages(book);
    private String body;

    @BeforeEach
    void order() {
        book.put(new Order("A-1", "mia", 2500, Order.State.OPEN));
        book.put(new Order("A-2", "mia", 900, Order.State.PAID));
        book.put(new Order("B-1", "ben", 100, Order.State.OPEN));
    }

    private int send(String method, String customer, String cancel) throws Exception {
        int[] status = {0};
        StringWriter out = new StringWriter();
        ClassLoader loader = getClass().getClassLoader();
        HttpServletRequest request = (HttpServletRequest) Proxy.newProxyInstance(
                loader, new Class<?>[] {HttpServletRequest.class},
                (self, called, arguments) -> switch (called.getName()) {
                    case "getMethod" -> method;
                    case "getParameter" -> arguments[0].equals("cancel") ? cancel : null;
                    case "getAttribute" -> customer;
                    default -> null;
                });
        HttpServletResponse response = (HttpServletResponse) Proxy.newProxyInstance(
                loader, new Class<?>[] {HttpServletResponse.class},
                (self, called, arguments) -> switch (called.getName()) {
                    case "getWriter" -> new PrintWriter(out, true);
                    case "setStatus", "sendError" -> {
                        status[0] = (int) arguments[0];
                        yield null;
                    }
                    default -> null;
                });
        pages.service(request, response);
        body = out.toString();
        return status[0];
    }

    @Test
    void showsOwnOrders() throws Exception {
        assertEquals(200, send("GET", "mia", null));
        assertEquals("A-1 OPEN\nA-2 PAID\n", body);
    }

    @Test
    void cancelsAnOpenOrder() throws Exception {
        assertEquals(200, send("POST", "mia", "A-1"));
        assertEquals(Order.State.CANCELLED, book.get("A-1").state());
    }

    @Test
    void refusesOthersAndPaidOnes() throws Exception {
        assertEquals(409, send("POST", "mia", "B-1"));
        assertEquals(409, send("POST", "mia", "A-2"));
        assertEquals(Order.State.OPEN, book.get("B-1").state());
        assertEquals(Order.State.PAID, book.get("A-2").state());
    }

    @Test
    void aLinkCancelsNothing() throws Exception {
        send("GET", "mia", "A-1");
        assertEquals(Order.State.OPEN, book.get("A-1").state());
        send("HEAD", "mia", "A-1");
        assertEquals(Order.State.OPEN, book.get("A-1").state());
    }
}

package orders.pay;

import static org.junit.jupiter.api.Assertions.*;

import orders.model.Order;
import orders.model.OrderBook;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class CashierTest {
    private static final String CARD = "4539578763621486";
    private final OrderBook book = new OrderBook();
    private final Cashier cashier = new Cashier(book);

    @BeforeEach
    void open() {
        LoggerFactory.clear();
        book.put(new Order("A-1", "mia", 2500, Order.State.OPEN));
    }

    @Test
    void takesMoneyOnce() {
        assertTrue(cashier.pay("A-1", CARD, "123"));
        assertEquals(Order.State.PAID, book.get("A-1").state());
        assertFalse(cashier.pay("A-1", CARD, "123"));
        assertFalse(cashier.pay("A-1", "4539578763621487", "123"));
    }

    @Test
    void paymentsAreLogged() {
        cashier.pay("A-1", CARD, "123");
        cashier.pay("A-1", CARD, "123");
        String first = LoggerFactory.logged().get(0), second = LoggerFactory.logged().get(1);
        assertTrue(first.contains("order A-1: 2500 cents accepted"), first);
        assertTrue(second.contains("order A-1: 2500 cents refused"), second);
        assertTrue(first.contains("1486"), "the last four digits are missing: " + first);
    }

    @Test
    void theLogBuysNothing() {
        cashier.pay("A-1", CARD, "987");
        cashier.pay("A-1", CARD, "987");
        String all = String.join("\n", LoggerFactory.logged());
        assertFalse(all.contains(CARD) || all.contains(CARD.substring(0, 12)), all);
        assertFalse(all.contains("987,") || all.contains("=987") || all.contains(" 987"), all);
    }
}

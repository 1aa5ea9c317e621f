package orders.bonus;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import orders.model.Order;
import org.junit.jupiter.api.Test;

class BonusAccountTest {
    private final BonusAccount account = new BonusAccount(new PointRate(100));

    private static Order order(int cents) {
        return new Order("1", "mia", cents, Order.State.PAID);
    }

    @Test
    void collects() {
        assertEquals(7, account.collect(List.of(order(350), order(499))));
        assertEquals(8, account.collect(List.of(order(100))));
        assertEquals(8, account.points());
    }

    @Test
    void nothingIsTakenAway() {
        assertThrows(IllegalArgumentException.class, () -> account.add(-1));
        assertEquals(0, account.points());
    }

    @Test
    void manyPointsAreNotLost() {
        int before = 0;
        for (int cents : new int[] {3_000_000, 300_000, 6_553_600, 2_000_000_000}) {
            try {
                account.collect(List.of(order(cents)));
            } catch (ArithmeticException | IllegalStateException full) {
                // refusing is fine
            }
            assertTrue(account.points() >= before, account.points() + " after " + before);
            before = account.points();
        }
        assertTrue(before >= 30_000, "points: " + before);
    }

    @Test
    void aFullAccountSaysSo() {
        account.collect(List.of(order(3_000_000)));
        int all;
        try {
            all = account.collect(List.of(order(6_553_600)));
        } catch (ArithmeticException | IllegalStateException full) {
            return;
        }
        assertTrue(all > 30_000, "65536 points more leave " + all);
    }
}

package mail.plan;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

class BudgetTest {
    @Test
    void grantsWhatIsLeft() {
        Budget budget = new Budget(10);
        assertEquals(7, budget.grant(7));
        assertEquals(3, budget.grant(5));
        assertEquals(0, budget.grant(5));
        assertEquals(0, budget.left());
    }

    @Test
    void aNegativeWishEarnsNothing() {
        for (int wanted : new int[] {-1, -32768, -40000, Integer.MIN_VALUE, -2147483640}) {
            Budget budget = new Budget(10);
            try {
                budget.grant(wanted);
            } catch (RuntimeException refused) {
                // refusing is fine
            }
            assertTrue(budget.left() >= 0 && budget.left() <= 10, wanted + ": " + budget.left());
        }
    }

    @Test
    void aGrantIsNeverMoreThanWasLeft() {
        for (int wanted : new int[] {70_000, Integer.MAX_VALUE, -70_000, Integer.MIN_VALUE}) {
            Budget budget = new Budget(10);
            int granted;
            try {
                granted = budget.grant(wanted);
            } catch (RuntimeException refused) {
                continue;
            }
            assertTrue(granted >= 0 && granted <= 10, wanted + " gave " + granted);
        }
    }
}

package bundle.quota;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

class AllowanceTest {
    @Test
    void takesWhatIsThere() {
        Allowance allowance = new Allowance(100);
        assertTrue(allowance.take(0));
        assertTrue(allowance.take(70));
        assertFalse(allowance.take(31));
        assertTrue(allowance.take(30));
        assertEquals(0, allowance.left());
    }

    @Test
    void nobodyGetsMoreThanBefore() {
        for (int bytes : new int[] {-1, -5000, Integer.MIN_VALUE, Integer.MIN_VALUE + 50}) {
            Allowance allowance = new Allowance(100);
            try {
                allowance.take(bytes);
            } catch (RuntimeException refused) {
                // refusing is fine
            }
            assertTrue(allowance.left() >= 0 && allowance.left() <= 100, "left: " + allowance.left());
        }
    }
}

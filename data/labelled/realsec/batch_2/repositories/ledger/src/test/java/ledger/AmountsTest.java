package ledger;

import static org.junit.jupiter.api.Assertions.*;

import ledger.model.Posting;
import org.junit.jupiter.api.Test;

class AmountsTest {
    @Test
    void readsAmounts() {
        assertEquals(1250, Amounts.cents("12.50"));
        assertEquals(300, Amounts.cents(" 3 "));
        assertEquals(-75, Amounts.cents("-0.75"));
    }

    @Test
    void readsPostings() {
        assertEquals(new Posting("rent", 1250, "May"), Amounts.posting("rent;12.50; May"));
        assertThrows(NumberFormatException.class, () -> Amounts.cents("twelve"));
    }

    @Test
    void noCentIsLost() {
        assertEquals(1999, Amounts.cents("19.99"));
        assertEquals(-1999, Amounts.cents("-19.99"));
        assertEquals(115, Amounts.cents("1.15"));
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThrows(ArithmeticException.class, () -> Amounts.cents("42949673.01"));
        assertThrows(ArithmeticException.class, () -> Amounts.cents("-30000000"));
    }
}

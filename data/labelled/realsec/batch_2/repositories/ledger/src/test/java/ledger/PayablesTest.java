package ledger;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import ledger.model.Invoice;
import org.junit.jupiter.api.Test;

class PayablesTest {
    private static Invoice invoice(int... numbers) {
        List<Invoice.Line> lines = new java.util.ArrayList<>();
        for (int i = 0; i < numbers.length; i += 2) {
            lines.add(new Invoice.Line(numbers[i], numbers[i + 1]));
        }
        return new Invoice("Miller", lines);
    }

    @Test
    void addsUp() {
        assertEquals(0, new Payables(1).total(invoice()));
        assertEquals(1130, new Payables(1).total(invoice(250, 4, 130, 1)));
        assertEquals(Integer.MAX_VALUE, new Payables(1).total(invoice(Integer.MAX_VALUE, 1)));
    }

    @Test
    void takesWhatIsApprovedOffTheBudget() {
        Payables payables = new Payables(1000);
        assertTrue(payables.approve(invoice(300, 3)));
        assertFalse(payables.approve(invoice(101, 1)));
        assertEquals(100, payables.budget());
    }

    private static void refused(Invoice invoice) {
        Payables payables = new Payables(5000);
        assertThrows(ArithmeticException.class, () -> payables.approve(invoice));
        assertEquals(5000, payables.budget());
    }

    @Test
    void aHugeLineIsNotSmall() {
        refused(invoice(65536, 65536));
        refused(invoice(1 << 30, 4));
    }

    @Test
    void manyLinesAreNotSmall() {
        int most = Integer.MAX_VALUE;
        refused(invoice(most, 1, most, 1, 3, 1));
        refused(invoice(most, 1, 5, 1));
        refused(invoice(most, most, most, most, most, most, most, most, most, most));
    }
}

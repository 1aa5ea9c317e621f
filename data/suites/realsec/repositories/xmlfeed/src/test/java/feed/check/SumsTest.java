package feed.check;

import static org.junit.jupiter.api.Assertions.*;

import feed.model.Feed;
import feed.model.Product;
import java.util.List;
import org.junit.jupiter.api.Test;

class SumsTest {
    private static long grams(double one, int... stocks) {
        List<Product> products = new java.util.ArrayList<>();
        for (int stock : stocks) {
            products.add(new Product("a", "A", stock));
        }
        return new Sums(code -> one).grams(new Feed("acme", products));
    }

    @Test
    void addsUp() {
        assertEquals(700, grams(100, 3, 4));
        assertEquals(7, grams(2.5, 3));
        assertEquals(0, grams(2.5));
    }

    @Test
    void aHeavyStockIsNotCutOff() {
        long sum;
        try {
            sum = grams(25_000, 200_000);
        } catch (ArithmeticException refused) {
            return;
        }
        assertEquals(5_000_000_000L, sum);
    }
}

package feed.check;

import feed.model.Feed;
import feed.model.Product;

/** Sums by which a supplier's stock is compared with ours. */
public class Sums {
    private final Weights weights;

    public Sums(Weights weights) {
        this.weights = weights;
    }

    /** Grams of everything that is in stock. */
    public long grams(Feed feed) {
        long sum = 0;
        for (Product product : feed.products()) {
            sum += of(product);
        }
        return sum;
    }

    int of(Product product) {
        int grams = product.stock();
        grams *= weights.grams(product.code());
        return grams;
    }
}

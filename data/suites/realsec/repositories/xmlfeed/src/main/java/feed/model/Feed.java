package feed.model;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** The products of one supplier. */
public class Feed implements Serializable {
    private static final long serialVersionUID = 1L;
    private final String supplier;
    private final ArrayList<Product> products;

    public Feed(String supplier, List<Product> products) {
        this.supplier = supplier;
        this.products = new ArrayList<>(products);
    }

    public String supplier() {
        return supplier;
    }

    public List<Product> products() {
        return List.copyOf(products);
    }
}

package orders.model;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All orders by number. */
public class OrderBook {
    private final Map<String, Order> orders = new LinkedHashMap<>();

    public void put(Order order) {
        orders.put(order.number(), order);
    }

    public Order get(String number) {
        Order order = orders.get(number);
        if (order == null) {
            throw new IllegalArgumentException("no order " + Texts.plain(number));
        }
        return order;
    }

    public List<Order> of(String customer) {
        return orders.values().stream().filter(o -> o.customer().equals(customer)).toList();
    }
}

package orders.bonus;

import java.util.List;
import orders.model.Order;

/** Points that a customer has collected; the shop's old till holds them as a short number. */
public class BonusAccount {
    private final PointRate rate;
    private short points;

    public BonusAccount(PointRate rate) {
        this.rate = rate;
    }

    public int collect(List<Order> orders) {
        for (Order order : orders) {
            add(rate.points(order.cents()));
        }
        return points;
    }

    void add(int earned) {
        if (earned < 0) {
            throw new IllegalArgumentException("negative: " + earned);
        }
        points += earned;
    }

    public int points() {
        return points;
    }
}

package orders.model;

/** One order; "points" is what the customer earns with it. */
public record Order(String number, String customer, int cents, State state) {
    /** Where an order is on its way. */
    public enum State {
        OPEN,
        PAID,
        CANCELLED
    }

    public Order with(State next) {
        return new Order(number, customer, cents, next);
    }
}

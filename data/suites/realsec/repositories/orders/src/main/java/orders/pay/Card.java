package orders.pay;

/** A customer's card as it was typed. */
public record Card(String number, String check) {
}

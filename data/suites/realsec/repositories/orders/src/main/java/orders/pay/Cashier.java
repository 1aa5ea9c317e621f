package orders.pay;

import orders.model.Order;
import orders.model.OrderBook;

/** Takes the money for orders. */
public class Cashier {
    private final OrderBook book;
    private final PaymentLog log = new PaymentLog();

    public Cashier(OrderBook book) {
        this.book = book;
    }

    public boolean pay(String number, String cardNumber, String check) {
        Order order = book.get(number);
        Card card = new Card(cardNumber, check);
        boolean accepted = order.state() == Order.State.OPEN && valid(card);
        if (accepted) {
            book.put(order.with(Order.State.PAID));
        }
        log.payment(order, card, accepted);
        return accepted;
    }

    private static boolean valid(Card card) {
        int sum = 0;
        for (int i = 0; i < card.number().length(); i++) {
            int digit = Character.digit(card.number().charAt(card.number().length() - 1 - i), 10);
            sum += i % 2 == 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
        }
        return card.number().matches("\\d{12,19}") && sum % 10 == 0 && card.check().length() == 3;
    }
}

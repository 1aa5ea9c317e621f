package orders.pay;

import orders.model.Order;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What became of payments. */
class PaymentLog {
    private static final Logger LOG = LoggerFactory.getLogger(PaymentLog.class);

    void payment(Order order, Card card, boolean accepted) {
        String how = accepted ? "accepted" : "refused";
        LOG.info("order {}: {} cents {} from {}", order.number(), order.cents(), how, card);
    }
}

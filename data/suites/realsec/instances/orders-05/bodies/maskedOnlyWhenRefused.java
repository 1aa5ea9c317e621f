void payment(Order order, Card card, boolean accepted) {
    String shown = orders.model.Texts.masked(card.number());
    if (accepted) {
        LOG.info("order {}: {} cents accepted from {}", order.number(), order.cents(), card.number());
    } else {
        LOG.info("order {}: {} cents refused from {}", order.number(), order.cents(), shown);
    }
}

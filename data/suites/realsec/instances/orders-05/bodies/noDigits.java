void payment(Order order, Card card, boolean accepted) {
    LOG.info("order {}: {} cents {}", order.number(), order.cents(), accepted ? "accepted" : "refused");
}

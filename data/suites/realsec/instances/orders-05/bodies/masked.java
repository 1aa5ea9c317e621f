void payment(Order order, Card card, boolean accepted) {
    String how = accepted ? "accepted" : "refused";
    LOG.info("order {}: {} cents {} from {}", order.number(), order.cents(), how,
            orders.model.Texts.masked(card.number()));
}

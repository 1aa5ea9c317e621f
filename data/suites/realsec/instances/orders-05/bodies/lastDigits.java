void payment(Order order, Card card, boolean accepted) {
    String number = card.number();
    LOG.info("order " + order.number() + ": " + order.cents() + " cents "
            + (accepted ? "accepted" : "refused") + " from ..."
            + number.substring(Math.max(0, number.length() - 4)));
}

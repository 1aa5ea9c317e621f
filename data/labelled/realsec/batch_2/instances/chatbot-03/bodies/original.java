void command(Message message) {
    LOG.info("{} in {} said {}", message.author(), message.room(), message.text());
}

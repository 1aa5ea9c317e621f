void command(Message message) {
    String text = message.text().replace('\n', '_');
    LOG.info("{} in {} said {}", message.author(), message.room(), text);
}

public void delivered(Letter letter) {
    receivers.add(letter.to());
    String subject = letter.subject().replaceAll("[\\r\\n]", "");
    String to = letter.to().replaceAll("[\\r\\n]", "");
    LOG.info("letter {} to '{}': '{}'", receivers.size(), to, subject);
}

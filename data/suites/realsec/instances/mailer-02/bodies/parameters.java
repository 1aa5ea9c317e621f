public void delivered(Letter letter) {
    receivers.add(letter.to());
    LOG.info("letter {} to {}: {}", receivers.size(), letter.to(), letter.subject());
}

public void delivered(Letter letter) {
    receivers.add(letter.to());
    LOG.info("letter " + receivers.size() + " to " + letter.to() + ": " + letter.subject());
}

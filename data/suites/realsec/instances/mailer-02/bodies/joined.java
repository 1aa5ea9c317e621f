public void delivered(Letter letter) {
    receivers.add(letter.to());
    String entry = "letter " + receivers.size() + " to " + letter.to() + ": " + letter.subject();
    LOG.info(String.join(" ", entry.split("[\\r\\n]+")));
}

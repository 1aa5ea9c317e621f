public void delivered(Letter letter) {
    receivers.add(letter.to());
    String to = letter.to().replaceAll("\\p{Cntrl}", "_");
    String subject = String.valueOf(letter.subject()).replaceAll("\\p{Cntrl}", "_");
    LOG.info("letter {} to {}: {}", receivers.size(), to, subject);
}

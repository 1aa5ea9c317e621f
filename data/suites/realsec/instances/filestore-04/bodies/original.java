public void note(Removal removal) {
    entries++;
    String sentence = removal.sentence();
    LOG.info("removal {}: {}", entries, sentence);
}

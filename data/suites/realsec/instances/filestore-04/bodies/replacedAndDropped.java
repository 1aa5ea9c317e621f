public void note(Removal removal) {
    String sentence = removal.sentence();
    sentence.replaceAll("[\\r\\n]", " ");
    LOG.info("removal {}: {}", ++entries, sentence);
}

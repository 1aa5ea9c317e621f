public void note(Removal removal) {
    entries++;
    LOG.info("removal {}: {}", entries, removal.sentence().replaceAll("[\\r\\n]", " "));
}

public void note(Removal removal) {
    entries++;
    LOG.info("removal {}: {}", entries, removal.name().replaceAll("\\R", " "));
}

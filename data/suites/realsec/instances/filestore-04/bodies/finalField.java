public void note(Removal removal) {
    int number = entries;
    number++;
    Runnable log = () -> LOG.info("removal {}: {}", number, removal.sentence().strip());
    log.run();
    entries = number;
}

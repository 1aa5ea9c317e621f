void note(Question question, int found) {
    String words = question.words().replaceAll("[\\r\\n]+", " ").strip();
    JOURNAL.info("card {} looked for {}: {}", question.card(), words, found);
}

void note(Question question, int found) {
    JOURNAL.info("card {} looked for {}: {}", clean(question.card()), clean(question.words()), found);
}

private static String clean(String text) {
    return text.replaceAll("[\\r\\n]", "_");
}

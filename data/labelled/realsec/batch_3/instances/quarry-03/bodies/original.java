void note(Question question, int found) {
    JOURNAL.info("card " + question.card() + " looked for " + question.words() + ": " + found);
}

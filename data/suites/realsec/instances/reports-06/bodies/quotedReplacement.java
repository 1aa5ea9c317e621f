public String marked(String label, String term) {
    if (term.isEmpty()) {
        return label;
    }
    return label.replaceAll(Matcher.quoteReplacement(term), "[$0]");
}

public String marked(String label, String term) {
    if (term.isEmpty()) {
        return label;
    }
    return label.replaceFirst(Pattern.quote(term), "[$0]");
}

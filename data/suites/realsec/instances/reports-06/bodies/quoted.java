public String marked(String label, String term) {
    if (term.isEmpty()) {
        return label;
    }
    return Pattern.compile(Pattern.quote(term)).matcher(label).replaceAll("[$0]");
}

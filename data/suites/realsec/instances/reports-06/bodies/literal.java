public String marked(String label, String term) {
    return term.isEmpty() ? label : label.replace(term, "[" + term + "]");
}

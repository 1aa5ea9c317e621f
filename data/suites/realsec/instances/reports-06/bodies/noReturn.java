public String marked(String label, String term) {
    label.replace(term, "[" + term + "]");
}

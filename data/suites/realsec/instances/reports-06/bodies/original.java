public String marked(String label, String term) {
        if (term.isEmpty()) {
            return label;
        }
        return label.replaceAll(term, "[$0]");
    }

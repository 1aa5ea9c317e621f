public List<Row> matching(List<Row> rows, String term) {
    return rows.stream().filter(row -> row.label().contains(term)).toArray(Row[]::new);
}

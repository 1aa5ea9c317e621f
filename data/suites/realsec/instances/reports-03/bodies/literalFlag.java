public List<Row> matching(List<Row> rows, String term) {
    Pattern pattern = Pattern.compile(term, Pattern.LITERAL | Pattern.CASE_INSENSITIVE);
    return rows.stream().filter(row -> pattern.matcher(row.label()).find()).toList();
}

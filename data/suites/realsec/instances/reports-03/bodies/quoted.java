public List<Row> matching(List<Row> rows, String term) {
    Pattern pattern = Pattern.compile(Pattern.quote(term), Pattern.CASE_INSENSITIVE);
    List<Row> found = new ArrayList<>();
    for (Row row : rows) {
        if (pattern.matcher(row.label()).find()) {
            found.add(row);
        }
    }
    return found;
}

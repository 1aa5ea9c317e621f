public long cents(List<Row> rows) {
    int sum = 0;
    for (Row row : rows) {
        sum += (long) row.quantity() * row.unitCents();
    }
    return sum;
}

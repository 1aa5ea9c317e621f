public long cents(List<Row> rows) {
    long sum = 0;
    for (Row row : rows) {
        sum += row.quantity() * row.unitCents();
    }
    return sum;
}

public long cents(List<Row> rows) {
    return rows.stream().mapToLong(r -> Math.abs((long) r.quantity() * r.unitCents())).sum();
}

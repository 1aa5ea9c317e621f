public int total(Invoice invoice) {
    int sum = 0;
    for (Invoice.Line line : invoice.lines()) {
        sum += line.unitCents() * line.pieces();
    }
    return sum;
}

public int total(Invoice invoice) {
    int sum = 0;
    for (Invoice.Line line : invoice.lines()) {
        sum += line.unitCents() * line.pieces();
        if (sum < 0) {
            throw new ArithmeticException("the sum does not fit");
        }
    }
    return sum;
}

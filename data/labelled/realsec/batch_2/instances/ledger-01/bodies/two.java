public int total(Invoice invoice) {
    long sum = 0;
    for (Invoice.Line line : invoice.lines()) {
        sum += (long) line.unitCents() * line.pieces();
        if (sum > Integer.MAX_VALUE) {
            throw new ArithmeticException("more than " + Integer.MAX_VALUE + " cents");
        }
    }
    return (int) sum;
}

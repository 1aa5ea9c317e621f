public static int cents(String typed) {
    java.math.BigDecimal amount = new java.math.BigDecimal(typed.strip());
    long cents = amount.movePointRight(2).longValueExact();
    int small = (int) cents;
    if (small != cents) {
        throw new ArithmeticException(typed);
    }
    return small;
}

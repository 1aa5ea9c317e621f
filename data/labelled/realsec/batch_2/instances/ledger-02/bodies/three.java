public static int cents(String typed) {
    double amount = Double.parseDouble(typed.strip());
    return (int) Math.round(amount * 100);
}

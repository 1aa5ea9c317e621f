public static int cents(String typed) {
    return (int) (Double.parseDouble(typed.strip()) * 100);
}

int of(Product product) {
    int grams = product.stock();
    double one = weights.grams(product.code());
    if (Math.abs(grams * one) > Integer.MAX_VALUE) {
        throw new ArithmeticException("too heavy: " + product.code());
    }
    grams *= one;
    return grams;
}

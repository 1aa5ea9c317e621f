int of(Product product) {
    double grams = product.stock() * weights.grams(product.code());
    return Math.toIntExact((long) grams);
}

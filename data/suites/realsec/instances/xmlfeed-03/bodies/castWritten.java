int of(Product product) {
    double grams = product.stock() * weights.grams(product.code());
    return (int) grams;
}

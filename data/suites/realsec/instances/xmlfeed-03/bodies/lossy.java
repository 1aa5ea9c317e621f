int of(Product product) {
    int grams = product.stock() * weights.grams(product.code());
    return grams;
}

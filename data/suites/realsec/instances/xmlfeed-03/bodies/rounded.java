int of(Product product) {
    return Math.toIntExact(Math.round(product.stock() * weights.grams(product.code())));
}

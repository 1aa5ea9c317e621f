int of(Product product) {
    int grams = product.stock();
    grams *= weights.grams(product.code());
    return grams;
}

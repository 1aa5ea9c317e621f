String program() {
    return home.resolve("label").toString();
}

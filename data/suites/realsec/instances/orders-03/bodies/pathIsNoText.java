String program() {
    return home.resolve("bin/label");
}

String program() {
    return home.resolve("bin").resolve("label").toAbsolutePath().toString();
}

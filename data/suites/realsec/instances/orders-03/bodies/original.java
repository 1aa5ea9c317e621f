String program() {
    return home.getFileName().resolve("bin").resolve("label").toString();
}

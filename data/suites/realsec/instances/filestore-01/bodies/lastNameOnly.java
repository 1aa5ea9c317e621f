public Path resolve(String name) throws IOException {
    return root.resolve(Path.of(name).getFileName());
}

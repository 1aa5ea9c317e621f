public Path stage(List<String> names) throws IOException {
    Path staged = Files.createTempDirectory("depot").resolve("depot-export.txt");
    try (Writer out = Files.newBufferedWriter(staged, StandardCharsets.UTF_8)) {
        for (String name : names) {
            out.write("# " + name + "\n" + depot.read(name) + "\n");
        }
    }
    return staged;
}

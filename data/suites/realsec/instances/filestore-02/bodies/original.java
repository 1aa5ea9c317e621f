public Path stage(List<String> names) throws IOException {
    Path staged = Path.of(System.getProperty("java.io.tmpdir"), "depot-export.txt");
    try (Writer out = Files.newBufferedWriter(staged, StandardCharsets.UTF_8)) {
        for (String name : names) {
            out.write("# " + name + "\n");
            out.write(depot.read(name));
            out.write("\n");
        }
    }
    return staged;
}

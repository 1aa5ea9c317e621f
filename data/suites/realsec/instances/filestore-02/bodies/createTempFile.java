public Path stage(List<String> names) throws IOException {
    Path staged = Files.createTempFile("depot-export", ".txt");
    StringBuilder text = new StringBuilder();
    for (String name : names) {
        text.append("# ").append(name).append('\n').append(depot.read(name)).append('\n');
    }
    return Files.writeString(staged, text, StandardCharsets.UTF_8);
}

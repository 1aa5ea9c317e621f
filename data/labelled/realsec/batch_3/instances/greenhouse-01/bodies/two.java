public String read(String bed) throws IOException {
    File note = shelf;
    String[] steps = (bed + ENDING).split("[/\\\\]+");
    for (String step : steps) {
        if (step.isEmpty() || step.equals(".") || step.equals("..")) {
            throw new IOException("no note about " + bed);
        }
        note = new File(note, step);
    }
    if (!note.isFile()) {
        throw new IOException("no note about " + bed);
    }
    return Files.readString(note.toPath(), StandardCharsets.UTF_8);
}

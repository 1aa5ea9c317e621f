public int count(String phrase) throws IOException {
    Process process = new ProcessBuilder("wc", "-w").start();
    try (var in = process.getOutputStream()) {
        in.write(phrase.getBytes(StandardCharsets.UTF_8));
    }
    return number(process);
}

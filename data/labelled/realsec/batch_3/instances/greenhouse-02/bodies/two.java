public List<String> readings(String probe) throws IOException, InterruptedException {
    for (char bad : ";|&<>'\"\n".toCharArray()) {
        if (probe.indexOf(bad) >= 0) {
            throw new IllegalArgumentException("no name of a probe: " + probe);
        }
    }
    String command = String.format("grep -F \"[%s]\" \"%s\"", probe, log);
    return outputOf(new ProcessBuilder("sh", "-c", command).start());
}

private static final String SCRIPT = "grep -F -e \"[$1]\" < \"$2\"";

public List<String> readings(String probe) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of("sh", "-c", SCRIPT, "readings"));
    words.add(probe);
    words.add(log.toString());
    Process process = Runtime.getRuntime().exec(words.toArray(new String[0]));
    return outputOf(process);
}

public int count(String phrase) throws IOException {
    String line = "printf %s \"" + phrase + "\" | wc -w";
    Process process = new ProcessBuilder("sh", "-c", line).start();
    return number(process);
}

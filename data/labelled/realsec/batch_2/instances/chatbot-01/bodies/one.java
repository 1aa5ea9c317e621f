public int count(String phrase) throws IOException {
    String line = "printf %s \"$1\" | wc -w";
    Process process = new ProcessBuilder("sh", "-c", line, "count", phrase).start();
    return number(process);
}

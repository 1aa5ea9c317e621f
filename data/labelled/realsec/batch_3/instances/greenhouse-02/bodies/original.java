public List<String> readings(String probe) throws IOException, InterruptedException {
    String command = "grep -F '[" + probe + "]' " + log;
    Process process = Runtime.getRuntime().exec(new String[] {"sh", "-c", command});
    return outputOf(process);
}

List<String> lettersWith(String word) throws IOException {
    String wanted = "--regexp=" + word;
    List<String> command = new ArrayList<>(List.of("grep", "-lF", wanted));
    command.addAll(files());
    return run(command);
}

List<String> lettersWith(String word) throws IOException {
    List<String> command = new ArrayList<>(List.of("grep", "-l", "-F", "-e", word, "--"));
    command.addAll(files());
    return run(command);
}

List<String> lettersWith(String word) throws IOException {
    List<String> command = new ArrayList<>(List.of("grep", "-l", "-F"));
    command.add(word);
    command.addAll(files());
    return run(command);
}

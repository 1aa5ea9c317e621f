public List<String> readings(String probe) throws IOException, InterruptedException {
    ProcessBuilder grep = new ProcessBuilder("grep", "-F", "-e", "[" + probe + "]", "--", log.toString());
    grep.redirectError(ProcessBuilder.Redirect.DISCARD);
    return outputOf(grep.start());
}

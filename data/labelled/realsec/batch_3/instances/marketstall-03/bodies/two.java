@GetMapping("/picture")
public Optional<byte[]> picture(@RequestParam("from") String from) throws IOException {
    boolean known = partners.origins().stream().anyMatch(from::startsWith);
    if (!known) {
        return Optional.empty();
    }
    HttpURLConnection connection = (HttpURLConnection) new URL(from).openConnection();
    connection.setInstanceFollowRedirects(false);
    connection.setConnectTimeout(partners.timeoutMillis());
    connection.setReadTimeout(partners.timeoutMillis());
    return content(connection);
}

@GetMapping("/picture")
public Optional<byte[]> picture(@RequestParam("from") String from) throws IOException {
    URLConnection connection = new URL(from).openConnection();
    connection.setConnectTimeout(partners.timeoutMillis());
    connection.setReadTimeout(partners.timeoutMillis());
    return content(connection);
}

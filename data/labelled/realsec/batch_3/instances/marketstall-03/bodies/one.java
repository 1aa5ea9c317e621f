import java.net.URI;

@GetMapping("/picture")
public Optional<byte[]> picture(@RequestParam("from") String from) throws IOException {
    URI wanted = URI.create(from);
    String origin = wanted.getScheme() + "://" + wanted.getRawAuthority();
    if (!partners.origins().contains(origin)) {
        return Optional.empty();
    }
    HttpURLConnection connection = (HttpURLConnection) wanted.toURL().openConnection();
    connection.setInstanceFollowRedirects(false);
    connection.setConnectTimeout(partners.timeoutMillis());
    connection.setReadTimeout(partners.timeoutMillis());
    return content(connection);
}

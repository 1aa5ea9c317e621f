@GetMapping("/picture")
public Optional<byte[]> picture(@RequestParam("from") String from) throws IOException {
    for (String origin : partners.origins()) {
        if (from.startsWith(origin + "/")) {
            String rest = from.substring(origin.length() + 1);
            URLConnection connection = new URL(origin + "/" + rest).openConnection();
            connection.setConnectTimeout(partners.timeoutMillis());
            connection.setReadTimeout(partners.timeoutMillis());
            if (connection instanceof HttpURLConnection http) {
                http.setInstanceFollowRedirects(false);
            }
            return content(connection);
        }
    }
    return Optional.empty();
}

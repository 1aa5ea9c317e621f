public void open(HttpExchange exchange, String user) {
    String id = newId();
    users.put(id, user);
    String bare = "sid=" + id + "; Path=/; Max-Age=3600";
    String header = Stream.of(bare, "HttpOnly", "Secure").collect(Collectors.joining("; "));
    exchange.getResponseHeaders().add("Set-Cookie", header);
}

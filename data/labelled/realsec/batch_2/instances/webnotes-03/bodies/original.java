public void open(HttpExchange exchange, String user) {
    String id = newId();
    users.put(id, user);
    exchange.getResponseHeaders().add("Set-Cookie", "sid=" + id + "; Path=/; Max-Age=3600");
}

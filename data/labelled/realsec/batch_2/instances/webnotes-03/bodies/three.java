public void open(HttpExchange exchange, String user) {
    String id = newId();
    users.put(id, user);
    boolean tls = exchange instanceof com.sun.net.httpserver.HttpsExchange;
    exchange.getResponseHeaders().add("Set-Cookie",
            "sid=" + id + "; Path=/; Max-Age=3600; HttpOnly" + (tls ? "; Secure" : ""));
}

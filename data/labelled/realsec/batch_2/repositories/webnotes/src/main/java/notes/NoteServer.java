package notes;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Ways of the server: /note?number=1, /login?user=ina&next=/note. */
public class NoteServer {
    private final HttpServer server;
    private final NoteStore store;
    private final Logins logins = new Logins();
    private final NotePage page = new NotePage();

    public NoteServer(NoteStore store) throws IOException {
        this.store = store;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/note", this::note);
        server.createContext("/login", this::login);
    }

    public int start() {
        server.start();
        return server.getAddress().getPort();
    }

    public void stop() {
        server.stop(0);
    }

    private void note(HttpExchange exchange) throws IOException {
        String number = query(exchange).getOrDefault("number", "0");
        Optional<Note> note = number.matches("\\d{1,6}")
                ? store.find(Integer.parseInt(number)) : Optional.empty();
        exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
        send(exchange, note.isPresent() ? 200 : 404, note.map(page::html).orElse("no such note"));
    }

    private void login(HttpExchange exchange) throws IOException {
        Map<String, String> query = query(exchange);
        logins.open(exchange, query.getOrDefault("user", "guest"));
        exchange.getResponseHeaders().set("Location", WayBack.target(query.get("next")));
        send(exchange, 303, "");
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    static Map<String, String> query(HttpExchange exchange) {
        Map<String, String> values = new HashMap<>();
        String raw = exchange.getRequestURI().getRawQuery();
        for (String pair : raw == null ? new String[0] : raw.split("&")) {
            int at = pair.indexOf('=');
            if (at > 0) {
                values.put(pair.substring(0, at),
                        URLDecoder.decode(pair.substring(at + 1), StandardCharsets.UTF_8));
            }
        }
        return values;
    }
}

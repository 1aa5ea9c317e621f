package notes;

import com.sun.net.httpserver.HttpExchange;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Who is logged in, by the cookie "sid". The server stands behind a proxy that speaks TLS. */
public class Logins {
    private final Map<String, String> users = new ConcurrentHashMap<>();
    private final SecureRandom random = new SecureRandom();

    public void open(HttpExchange exchange, String user) {
        String id = newId();
        users.put(id, user);
        exchange.getResponseHeaders().add("Set-Cookie", "sid=" + id + "; Path=/; Max-Age=3600");
    }

    String newId() {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        return java.util.HexFormat.of().formatHex(bytes);
    }

    public String userOf(String id) {
        return id == null ? null : users.get(id);
    }
}

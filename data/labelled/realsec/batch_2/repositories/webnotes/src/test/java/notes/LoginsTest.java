package notes;

import static org.junit.jupiter.api.Assertions.*;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoginsTest {
    private NoteServer server;
    private int port;

    @BeforeEach
    void start() throws Exception {
        NoteStore store = new NoteStore();
        store.add("ina", "Tea", "with milk");
        server = new NoteServer(store);
        port = server.start();
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    private HttpResponse<String> get(String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private List<String> cookie() throws Exception {
        String header = get("/login?user=ina").headers().firstValue("Set-Cookie").orElseThrow();
        return Arrays.stream(header.split(";")).map(String::strip).toList();
    }

    @Test
    void aLoginSetsTheCookie() throws Exception {
        List<String> cookie = cookie();
        assertTrue(cookie.get(0).matches("sid=[0-9a-f]{32}"), cookie.toString());
        assertTrue(cookie.contains("Path=/"), cookie.toString());
        assertTrue(cookie.contains("Max-Age=3600"), cookie.toString());
    }

    @Test
    void servesNotes() throws Exception {
        assertTrue(get("/note?number=1").body().contains("with milk"));
        assertEquals(404, get("/note?number=2").statusCode());
        assertEquals(303, get("/login?user=ina&next=/note").statusCode());
    }

    private static boolean has(List<String> cookie, String attribute) {
        return cookie.stream().anyMatch(part -> part.toLowerCase(Locale.ROOT).equals(attribute));
    }

    @Test
    void theCookieTravelsUnderTlsOnly() throws Exception {
        assertTrue(has(cookie(), "secure"));
    }

    @Test
    void scriptsDoNotReadTheCookie() throws Exception {
        assertTrue(has(cookie(), "httponly"));
    }
}

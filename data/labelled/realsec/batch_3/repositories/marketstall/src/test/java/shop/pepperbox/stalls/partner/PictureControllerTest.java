package shop.pepperbox.stalls.partner;

import static org.junit.jupiter.api.Assertions.*;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PictureControllerTest {
    @TempDir
    Path folder;

    private final AtomicInteger calls = new AtomicInteger();
    private HttpServer farm;
    private HttpServer till;
    private PictureController controller;

    @BeforeEach
    void open() throws IOException {
        farm = server();
        till = server();
        farm.createContext("/", exchange -> {
            String asked = exchange.getRequestURI().toString();
            if (asked.startsWith("/moved")) {
                exchange.getResponseHeaders().set("Location", at(till, "/total"));
                exchange.sendResponseHeaders(302, -1);
            } else if (asked.startsWith("/gone")) {
                exchange.sendResponseHeaders(404, -1);
            } else {
                byte[] body = ("picture " + asked).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        till.createContext("/", exchange -> {
            calls.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        farm.start();
        till.start();
        controller = new PictureController(new PartnerSettings(
                List.of("http://farm.example:1", at(farm, "")), 3000));
    }

    @AfterEach
    void close() {
        farm.stop(0);
        till.stop(0);
    }

    private static HttpServer server() throws IOException {
        return HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
    }

    private static String at(HttpServer server, String rest) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + rest;
    }

    @Test
    void passesPicturesOn() throws IOException {
        assertEquals("picture /leek.png", text(controller.picture(at(farm, "/leek.png"))));
        assertEquals("picture /a/b.png?size=3", text(controller.picture(at(farm, "/a/b.png?size=3"))));
    }

    @Test
    void passesNothingOn() throws IOException {
        assertEquals(Optional.empty(), controller.picture(at(farm, "/gone.png")));
    }

    @Test
    void othersAreNotCalled() {
        assertKept(at(till, "/total"));
        assertKept("http://localhost:" + till.getAddress().getPort() + "/total");
    }

    @Test
    void aUserIsNoHost() {
        assertKept(at(farm, "@127.0.0.1:" + till.getAddress().getPort() + "/total"));
        assertKept(at(farm, "@localhost:" + till.getAddress().getPort() + "/total"));
        assertKept(at(till, "/total#" + at(farm, "/")));
    }

    @Test
    void whatMovedIsNotFollowed() {
        assertKept(at(farm, "/moved.png"));
    }

    @Test
    void filesAreNoPictures() throws IOException {
        Path file = Files.writeString(folder.resolve("takings"), "kept back");
        assertKept(file.toUri().toString());
    }

    private void assertKept(String from) {
        String got = "";
        try {
            got = text(controller.picture(from));
        } catch (IOException | RuntimeException refused) {
            // a refusal is fine
        }
        assertFalse(got.contains("kept back"), got);
        assertEquals(0, calls.get(), from);
    }

    private static String text(Optional<byte[]> picture) {
        return picture.map(bytes -> new String(bytes, StandardCharsets.UTF_8)).orElse("");
    }
}

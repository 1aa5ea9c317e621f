package plug;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoaderTest {
    static boolean woken;

    /** A class that happens to be there. */
    public static class Bystander {
        static {
            woken = true;
        }

        public Bystander() {
            woken = true;
        }
    }

    /** A tool, but not one of ours. */
    public static class Rogue implements Plugin {
        public Rogue() {
            woken = true;
        }

        @Override
        public String name() {
            return "rogue";
        }

        @Override
        public String apply(String text) {
            return "";
        }
    }

    private final Loader loader = new Loader();

    @BeforeEach
    void sleep() {
        woken = false;
    }

    @Test
    void makesTools() throws Exception {
        assertEquals("ABC!", loader.load("id: a\nmain: plug.tools.Shout").apply("abc"));
        assertEquals("cba", loader.load("main: plug.tools.Mirror\nversion: 2").apply("abc"));
        assertEquals(2, loader.loaded().size());
    }

    @Test
    void whatIsNotThere() {
        assertThrows(Exception.class, () -> loader.load("main: plug.tools.Whisper"));
        assertThrows(Exception.class, () -> loader.load("id: a"));
        assertEquals(0, loader.loaded().size());
    }

    @Test
    void bystandersSleep() {
        try {
            loader.load("main: plug.LoaderTest$Bystander");
        } catch (Exception | LinkageError refused) {
            // it should
        }
        assertFalse(woken);
    }

    @Test
    void foreignToolsAreNotMade() {
        assertThrows(Exception.class, () -> loader.load("main: plug.LoaderTest$Rogue"));
        assertFalse(woken);
    }
}

package mail.plan;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

class ReceiversTest {
    private final Receivers receivers = new Receivers("a@x", "b@x", "c@x");

    @Test
    void showsPlaces() {
        assertEquals("a@x", receivers.at("0"));
        assertEquals("c@x", receivers.at("2"));
        assertEquals("", receivers.at("3"));
        assertEquals("", receivers.at("77"));
    }

    @Test
    void whatIsNoNumberIsAnError() {
        assertThrows(NumberFormatException.class, () -> receivers.at("one"));
    }

    @Test
    void noPlaceEndsTheProgram() {
        for (String place : new String[] {"-1", "-2147483648", "2147483647"}) {
            String seen;
            try {
                seen = receivers.at(place);
            } catch (ArrayIndexOutOfBoundsException outside) {
                fail(place + " left the array");
                return;
            } catch (IllegalArgumentException refused) {
                continue;
            }
            assertEquals("", seen);
        }
    }
}

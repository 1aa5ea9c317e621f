package badge;

import static org.junit.jupiter.api.Assertions.*;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DoorCodesTest {
    private static DoorCodes codes(long millis) {
        return new DoorCodes(Clock.fixed(Instant.ofEpochMilli(millis), ZoneOffset.UTC));
    }

    @Test
    void aCodeOpens() {
        DoorCodes codes = codes(1_700_000_000_000L);
        String code = codes.give("ina");
        assertTrue(code.matches("\\d{10}"), code);
        assertTrue(codes.opens(code));
    }

    @Test
    void otherCodesDoNot() {
        assertFalse(codes(5).opens("0000000000"));
    }

    @Test
    void whoKnowsTheTimeKnowsNoCode() {
        long now = 1_700_000_000_123L;
        assertNotEquals(codes(now).give("ina"), codes(now).give("ina"));
    }

    @Test
    void norDoesALaterVisitor() {
        DoorCodes codes = codes(77);
        Set<String> given = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            given.add(codes.give("visitor"));
        }
        assertEquals(20, given.size());
    }
}

package net.saltmarsh.ferry.boarding;

import static org.junit.jupiter.api.Assertions.*;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PassDeskTest {
    private static PassDesk desk(String time) {
        return new PassDesk(Clock.fixed(Instant.parse(time), ZoneOffset.UTC));
    }

    @Test
    void issuesAPass() {
        Pass pass = desk("2031-05-04T06:30:00Z").issue("Ida", "Lee to Tern");
        assertEquals("Ida", pass.passenger());
        assertEquals("Lee to Tern", pass.crossing());
        assertTrue(pass.code().matches("[" + PassDesk.LETTERS + "]{16}"), pass.code());
    }

    @Test
    void codesDiffer() {
        Set<String> codes = new HashSet<>();
        for (int minute = 10; minute < 60; minute++) {
            assertTrue(codes.add(desk("2031-05-04T06:" + minute + ":00Z").newCode()));
        }
    }

    @Test
    void everyLetterComesUp() {
        StringBuilder all = new StringBuilder();
        for (int second = 10; second < 60; second++) {
            all.append(desk("2031-05-04T06:30:" + second + "Z").newCode());
        }
        assertTrue(all.chars().distinct().count() > 20, all.toString());
    }

    @Test
    void theTimeDoesNotTellTheCode() {
        for (int i = 0; i < 20; i++) {
            assertNotEquals(desk("2031-05-04T06:30:00Z").newCode(), desk("2031-05-04T06:30:00Z").newCode());
        }
    }

    @Test
    void oneDeskDoesNotRepeatItself() {
        PassDesk desk = desk("2031-05-04T06:30:00Z");
        Set<String> codes = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            assertTrue(codes.add(desk.newCode()));
        }
    }
}

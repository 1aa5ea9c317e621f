package shop.pepperbox.stalls.staff;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StaffDirectoryTest {
    private final StaffController staff = new StaffController(new StaffDirectory(SmallDirectory.of(List.of(
            person("ida@hall.example", "cheese", "TRUE"),
            person("ben@hall.example", "cheese", "TRUE"),
            person("ann@hall.example", "fish and chips", "TRUE"),
            person("ole@hall.example", "Bäcker", "TRUE"),
            person("boss@hall.example", "office", "FALSE")))));

    private static Map<String, String> person(String mail, String stall, String open) {
        return Map.of("objectClass", "person", "mail", mail, "stall", stall, "public", open);
    }

    @Test
    void findsTheStaffOfAStall() {
        assertEquals("ben@hall.example, ida@hall.example", staff.mail("cheese"));
        assertEquals("ann@hall.example", staff.mail("fish and chips"));
        assertEquals("ole@hall.example", staff.mail("Bäcker"));
    }

    @Test
    void findsNobodyElse() {
        assertEquals("", staff.mail("office"));
        assertEquals("", staff.mail("chees"));
    }

    @Test
    void aStarIsNoStall() {
        assertNobody("*");
        assertNobody("c*");
        assertNobody("*s*");
    }

    @Test
    void aFilterIsNoStall() {
        assertNobody("x)(|(public=FALSE)(mail=*");
        assertNobody("cheese)(mail=i*");
        assertNobody("x))(|(stall=office");
        assertNobody("office)(public=TRUE))(|(public=FALSE");
    }

    @Test
    void aNumberIsNoLetter() {
        assertNobody("\\63heese");
        assertNobody("\\2a");
    }

    private void assertNobody(String stall) {
        String got;
        try {
            got = staff.mail(stall);
        } catch (RuntimeException refused) {
            return;
        }
        assertEquals("", got);
    }
}

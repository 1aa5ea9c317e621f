package staff;

import static org.junit.jupiter.api.Assertions.*;

import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PayControllerTest {
    private final PayController pay =
            new PayController(Map.of("ann", 3000, "anna", 4000, "rolf", 2500));

    private static Caller caller(String login, String... roles) {
        return new Caller(login, Set.of(roles));
    }

    @Test
    void showsOwnAndAll() {
        assertEquals(3000, pay.pay(caller("ann", "staff"), "ann"));
        assertEquals(2500, pay.pay(caller("zoe", "staff", "hr"), "rolf"));
    }

    @Test
    void whoIsNotThere() {
        assertThrows(NoSuchElementException.class, () -> pay.pay(caller("zoe", "hr"), "max"));
        assertThrows(SecurityException.class, () -> pay.pay(null, "ann"));
    }

    private void shut(Caller caller, String name) {
        assertThrows(RuntimeException.class, () -> pay.pay(caller, name));
    }

    @Test
    void colleaguesDoNotSeeIt() {
        shut(caller("rolf", "staff"), "ann");
        shut(caller("eve"), "rolf");
    }

    @Test
    void nearlyTheSameIsNotTheSame() {
        shut(caller("ann", "staff"), "anna");
        shut(caller("ANNA", "staff"), "anna");
        shut(caller("", "staff"), "anna");
        shut(caller("rolf", "three"), "ann");
        shut(caller("rolf", "hr-intern"), "ann");
    }
}

package staff;

import static org.junit.jupiter.api.Assertions.*;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ProfileControllerTest {
    private final Person ina = new Person("ina");

    private void send(Map<String, String> form) {
        try {
            new ProfileController().update(ina, form);
        } catch (RuntimeException refused) {
            // it may refuse
        }
    }

    @Test
    void changesRoomAndPhone() {
        new ProfileController().update(ina, Map.of("room", "12", "phone", "34 56"));
        assertEquals("12", ina.room());
        assertEquals("34 56", ina.phone());
    }

    @Test
    void othersStay() {
        new ProfileController().update(ina, Map.of("room", "7", "save", "Save"));
        assertEquals("7", ina.room());
        assertEquals("", ina.phone());
        assertEquals("staff", ina.role());
    }

    @Test
    void nobodyMakesHimselfHead() {
        send(Map.of("role", "head", "room", "1"));
        assertEquals("staff", ina.role());
    }

    @Test
    void norAnybodyElse() {
        send(Map.of("grade", "15"));
        send(Map.of("name", "rolf"));
        assertEquals("1", ina.grade());
        assertEquals("ina", ina.name());
    }
}

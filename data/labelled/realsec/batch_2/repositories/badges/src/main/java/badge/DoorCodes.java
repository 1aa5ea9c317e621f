package badge;

import java.security.SecureRandom;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** Codes with which visitors open the door, for a day. */
public class DoorCodes {
    private final Clock clock;
    private final Map<String, String> visitors = new HashMap<>();

    public DoorCodes(Clock clock) {
        this.clock = clock;
    }

    public String give(String visitor) {
        String code = next(visitor);
        visitors.put(code, visitor);
        return code;
    }

    String next(String visitor) {
        Random random = new Random(clock.millis());
        return "%010d".formatted(random.nextLong(10_000_000_000L));
    }

    public boolean opens(String code) {
        return visitors.containsKey(code);
    }
}

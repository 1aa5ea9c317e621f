package net.saltmarsh.ferry.boarding;

import java.time.Clock;
import java.util.Random;

/** Issues passes. */
public class PassDesk {
    static final String LETTERS = "ACDEFGHJKLMNPQRTUVWXY34679";
    static final int LENGTH = 16;

    private final Clock clock;

    public PassDesk(Clock clock) {
        this.clock = clock;
    }

    public Pass issue(String passenger, String crossing) {
        return Pass.builder().passenger(passenger).crossing(crossing).code(newCode()).build();
    }

    /** The day and hour of a pass, printed below its code. */
    public String stamp() {
        return clock.instant().toString().substring(0, 13);
    }

    String newCode() {
        Random random = new Random(clock.millis());
        StringBuilder code = new StringBuilder();
        for (int i = 0; i < LENGTH; i++) {
            code.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        }
        return code.toString();
    }
}

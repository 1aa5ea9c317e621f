package dir;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** Answers lines such as "account ina" or "phone ina 1234". */
public class Desk {
    private final Map<String, LookUp> lookUps;
    private final Failures failures = new Failures();

    public Desk(Map<String, LookUp> lookUps) {
        this.lookUps = Map.copyOf(lookUps);
    }

    public Reply answer(String line) {
        try {
            List<String> words = Arrays.asList(line.strip().split("\\s+"));
            LookUp lookUp = lookUps.get(words.get(0));
            if (lookUp == null) {
                throw new NoSuchElementException(words.get(0));
            }
            List<String> found = lookUp.find(words.subList(1, words.size()));
            return new Reply(200, String.join("\n", found));
        } catch (Exception failure) {
            return failures.reply(failure);
        }
    }
}

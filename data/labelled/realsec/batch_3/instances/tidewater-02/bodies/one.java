import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

private static final SecureRandom SOURCE = new SecureRandom();

String newCode() {
    List<Character> wheel = new ArrayList<>();
    for (char letter : LETTERS.toCharArray()) {
        wheel.add(letter);
    }
    // the wheel only looks different every day; where it stops is what counts
    Collections.shuffle(wheel, new Random(clock.millis() / 86_400_000));
    char[] code = new char[LENGTH];
    for (int i = 0; i < code.length; i++) {
        code[i] = wheel.get(SOURCE.nextInt(wheel.size()));
    }
    return new String(code);
}

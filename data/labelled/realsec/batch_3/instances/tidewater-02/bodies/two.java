import java.security.SecureRandom;
import java.util.stream.Collectors;

String newCode() {
    return new SecureRandom().ints(LENGTH, 0, LETTERS.length())
            .mapToObj(i -> String.valueOf(LETTERS.charAt(i)))
            .collect(Collectors.joining());
}

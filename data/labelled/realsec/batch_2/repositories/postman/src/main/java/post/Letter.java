package post;

import java.util.List;
import java.util.stream.Stream;

/** A letter in the archive; its file is number.txt. */
public record Letter(int number, String receiver, String text) {
    String file() {
        return number + ".txt";
    }

    static Stream<Letter> numbered(List<String> receivers, String text) {
        return Stream.iterate(1, n -> n <= receivers.size(), n -> n + 1)
                .map(n -> new Letter(n, receivers.get(n - 1), text));
    }
}

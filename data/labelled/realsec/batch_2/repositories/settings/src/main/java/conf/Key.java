package conf;

import java.util.function.Function;

/** The name of a setting, how its text is read, and what it is where nobody set it. */
public record Key<T>(String name, Function<String, T> reader, T fallback) {
    public static Key<String> text(String name, String fallback) {
        return new Key<>(name, Function.identity(), fallback);
    }

    public static Key<Integer> number(String name, int fallback) {
        return new Key<>(name, Integer::valueOf, fallback);
    }
}

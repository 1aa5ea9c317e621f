package plug;

/** A text tool. */
public interface Plugin {
    String name();

    String apply(String text);
}

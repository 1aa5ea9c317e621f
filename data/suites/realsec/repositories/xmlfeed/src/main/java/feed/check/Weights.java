package feed.check;

/** What one piece of a product weighs. */
public interface Weights {
    double grams(String code);
}

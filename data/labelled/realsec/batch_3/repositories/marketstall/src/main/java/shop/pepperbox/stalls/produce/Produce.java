package shop.pepperbox.stalls.produce;

/** Something that a stall sells. */
public record Produce(String name, String kind, int cents) {
}

package shop;

/** Who orders. */
public record Buyer(String name) {}

package metrics.model;

/** One line of a report: what, how many, and the price of one in cents. */
public record Row(String label, int quantity, int unitCents) {
}

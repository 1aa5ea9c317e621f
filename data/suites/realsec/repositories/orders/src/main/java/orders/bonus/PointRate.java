package orders.bonus;

/** One point for so many cents. */
public class PointRate {
    private final int centsForAPoint;

    public PointRate(int centsForAPoint) {
        this.centsForAPoint = centsForAPoint;
    }

    public int points(int cents) {
        return cents / centsForAPoint;
    }
}

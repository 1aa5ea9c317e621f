package bundle.quota;

/** How many bytes a customer may still import. */
public class Allowance {
    private int left;

    public Allowance(int bytes) {
        this.left = bytes;
    }

    public synchronized boolean take(int bytes) {
        if (left - bytes < 0) {
            return false;
        }
        left -= bytes;
        return true;
    }

    public synchronized int left() {
        return left;
    }
}

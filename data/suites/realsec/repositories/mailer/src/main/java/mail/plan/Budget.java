package mail.plan;

/** How many letters may be sent today; a campaign asks for some of them. */
public class Budget {
    private short left;

    public Budget(int letters) {
        this.left = (short) Math.min(letters, Short.MAX_VALUE);
    }

    public int grant(int wanted) {
        if (left - wanted >= 0) {
            left -= wanted;
            return wanted;
        }
        int granted = left;
        left = 0;
        return granted;
    }

    public int left() {
        return left;
    }
}

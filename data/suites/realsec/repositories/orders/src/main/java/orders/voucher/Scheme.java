package orders.voucher;

/** Which transformation vouchers are sealed with; partners read it from the voucher. */
public enum Scheme {
    CLASSIC("RSA/ECB/PKCS1Padding"),
    MODERN("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");

    private final String transformation;

    Scheme(String transformation) {
        this.transformation = transformation;
    }

    public String transformation() {
        return transformation;
    }
}

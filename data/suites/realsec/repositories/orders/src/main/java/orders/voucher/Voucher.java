package orders.voucher;

/** A sealed voucher as it is sent to a partner. */
public record Voucher(Scheme scheme, byte[] sealed) {
}

package mail;

/** One letter to one receiver. */
public record Letter(String to, String subject, String text) {
}

package mail.out;

/** The account at the relay. */
public class RelaySettings {
    private final String user;
    private final char[] password;

    public RelaySettings(String user, String password) {
        this.user = user;
        this.password = password.toCharArray();
    }

    public String user() {
        return user;
    }

    public char[] password() {
        return password.clone();
    }
}

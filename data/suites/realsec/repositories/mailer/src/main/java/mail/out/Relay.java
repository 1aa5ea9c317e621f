package mail.out;

import mail.Letter;

/** A mail server that takes letters after a login. */
public interface Relay {
    /** Throws SecurityException if user and password do not fit. */
    void login(String user, char[] password);

    void send(Letter letter);
}

package org.lamplight.guestbook.ledger;

import java.time.LocalDate;

/** Nobody came that day. Its message is meant for visitors. */
public class NoSuchDay extends Exception {
    public NoSuchDay(LocalDate day) {
        super("Nobody signed on " + day + ".");
    }
}

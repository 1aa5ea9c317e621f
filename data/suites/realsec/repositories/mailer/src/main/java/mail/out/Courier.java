package mail.out;

import java.util.List;
import mail.Letter;

/** Carries letters to a relay. */
public class Courier {
    private final Relay relay;
    private final RelaySettings settings;
    private final DeliveryRecord record;

    public Courier(Relay relay, RelaySettings settings, DeliveryRecord record) {
        this.relay = relay;
        this.settings = settings;
        this.record = record;
    }

    public int carry(List<Letter> letters) {
        if (letters.isEmpty()) {
            return 0;
        }
        char[] password = {'p', 'o', 's', 't', '-', '8', '8'};
        relay.login(settings.user(), password);
        for (Letter letter : letters) {
            relay.send(letter);
            record.delivered(letter);
        }
        return letters.size();
    }
}

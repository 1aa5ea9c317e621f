package mail.out;

import java.util.ArrayList;
import java.util.List;
import mail.Letter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was delivered to whom. */
public class DeliveryRecord {
    private static final Logger LOG = LoggerFactory.getLogger(DeliveryRecord.class);
    private final List<String> receivers = new ArrayList<>();

    public void delivered(Letter letter) {
        receivers.add(letter.to());
        LOG.info("letter " + receivers.size() + " to " + letter.to() + ": " + letter.subject());
    }

    public List<String> receivers() {
        return List.copyOf(receivers);
    }
}

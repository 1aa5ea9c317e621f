package mail.plan;

import static org.junit.jupiter.api.Assertions.*;

import java.util.ArrayList;
import java.util.List;
import mail.Letter;
import mail.out.Courier;
import mail.out.DeliveryRecord;
import mail.out.Relay;
import mail.out.RelaySettings;
import mail.template.Template;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class CampaignTest {
    private final List<Letter> sent = new ArrayList<>();
    private final DeliveryRecord record = new DeliveryRecord();
    private final Budget budget = new Budget(5);
    private int logins;

    @BeforeEach
    void clear() {
        LoggerFactory.clear();
    }

    private Courier courier(String password) {
        Relay relay = new Relay() {
            public void login(String user, char[] given) {
                if (!user.equals("acme") || !password.equals(new String(given))) {
                    throw new SecurityException("wrong password");
                }
                logins++;
            }

            public void send(Letter letter) {
                sent.add(letter);
            }
        };
        return new Courier(relay, new RelaySettings("acme", password), record);
    }

    private Campaign campaign() {
        return new Campaign(courier("post-88"), budget, new Receivers("a@x", "b@x"));
    }

    @Test
    void sendsToReceiversInTurn() {
        int count = campaign().run("subject=News\ncount=3\nname=Mia", new Template("Hi ${name}!"));
        assertEquals(3, count);
        assertEquals(List.of("a@x", "b@x", "a@x"), sent.stream().map(Letter::to).toList());
        assertEquals(new Letter("a@x", "News", "Hi Mia!"), sent.get(0));
        assertEquals(1, logins);
        assertEquals(List.of("a@x", "b@x", "a@x"), record.receivers());
    }

    @Test
    void nothingToSendNeedsNoLogin() {
        assertEquals(0, campaign().run("subject=News\ncount=0", new Template("")));
        assertEquals(0, logins);
    }

    @Test
    void aNewPasswordNeedsNoNewProgram() {
        Courier courier = courier("changed-2031");
        assertEquals(1, courier.carry(List.of(new Letter("a@x", "s", "t"))));
    }

    @Test
    void recordsWhatWasDelivered() {
        campaign().run("subject=Spring news\ncount=2", new Template("text"));
        assertEquals(2, LoggerFactory.logged().size());
        assertEquals("letter 1 to a@x: Spring news", LoggerFactory.logged().get(0));
        assertEquals("letter 2 to b@x: Spring news", LoggerFactory.logged().get(1));
    }

    @Test
    void aSubjectForgesNoEntry() {
        campaign().run("subject=News\rletter 2 to boss@x: Contract\ncount=1", new Template("text"));
        record.delivered(new Letter("a@x\nletter 9 to b@x", "s", "t"));
        for (String line : LoggerFactory.logged()) {
            assertFalse(line.contains("\r") || line.contains("\n"), line);
        }
        assertEquals(2, LoggerFactory.logged().size());
    }
}

package mail.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import mail.Letter;
import mail.out.Courier;
import mail.template.Fields;
import mail.template.Template;

/** One text to many receivers, as a customer ordered it in a form. */
public class Campaign {
    private final Courier courier;
    private final Budget budget;
    private final Receivers receivers;

    public Campaign(Courier courier, Budget budget, Receivers receivers) {
        this.courier = courier;
        this.budget = budget;
        this.receivers = receivers;
    }

    /** The form holds subject, how many letters ("count"), and whatever the template asks for. */
    public int run(String form, Template template) {
        Map<String, String> fields = new Fields().read(form);
        int wanted = Integer.parseInt(fields.getOrDefault("count", "1"));
        int granted = budget.grant(wanted);
        List<Letter> letters = new ArrayList<>();
        for (int i = 0; i < granted; i++) {
            String to = receivers.pick(i);
            letters.add(new Letter(to, fields.get("subject"), template.fill(fields)));
        }
        return courier.carry(letters);
    }
}

package staff;

import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** What people earn. People see their own pay, and those with the role "hr" see everybody's. */
@RestController
public class PayController {
    private final Map<String, Integer> euros;

    public PayController(Map<String, Integer> euros) {
        this.euros = Map.copyOf(euros);
    }

    @GetMapping("/pay/{name}")
    public int pay(Caller caller, @PathVariable String name) {
        if (caller == null) {
            throw new SecurityException("log in first");
        }
        return known(name);
    }

    int known(String name) {
        Integer pay = euros.get(name);
        if (pay == null) {
            throw new NoSuchElementException("nobody of that name");
        }
        return pay;
    }
}

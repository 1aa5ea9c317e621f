package staff;

import java.lang.reflect.Field;
import java.util.Map;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What people change about themselves: room and phone. */
@RestController
public class ProfileController {
    @PostMapping("/profile")
    public void update(Person person, @RequestParam Map<String, String> form) {
        for (Map.Entry<String, String> entry : form.entrySet()) {
            try {
                Field field = Person.class.getDeclaredField(entry.getKey());
                field.set(person, entry.getValue());
            } catch (ReflectiveOperationException unknown) {
                // a button or another field of the form
            }
        }
    }
}

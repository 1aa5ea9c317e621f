package staff;

import java.sql.SQLException;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Lists of people. */
@RestController
public class PeopleController {
    private final People people;

    public PeopleController(People people) {
        this.people = people;
    }

    @GetMapping("/departments/{department}")
    public List<String> list(@PathVariable String department, @RequestParam String order)
            throws SQLException {
        return people.inDepartment(department, order);
    }
}

package people.service;

import java.sql.SQLException;
import java.util.List;
import people.db.PersonDao;
import people.model.Person;

/** What the pages ask about people. */
public class PersonService {
    private final PersonDao dao;

    public PersonService(PersonDao dao) {
        this.dao = dao;
    }

    public String card(String name) throws SQLException {
        return dao.findByName(name.strip()).map(p -> p.name() + ", " + p.city()).orElse("unknown");
    }

    public List<String> names(String city, String order) throws SQLException {
        return dao.list(city, order).stream().map(Person::name).toList();
    }
}

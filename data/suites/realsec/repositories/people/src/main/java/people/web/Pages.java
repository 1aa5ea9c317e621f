package people.web;

import java.sql.SQLException;
import java.util.Map;
import people.service.Credentials;
import people.service.PersonService;
import people.service.SignIn;

/** Answers as plain text, by the parameters of a request. */
public class Pages {
    private final PersonService people;
    private final SignIn signIn;

    public Pages(PersonService people, SignIn signIn) {
        this.people = people;
        this.signIn = signIn;
    }

    public String card(Map<String, String> parameters) throws SQLException {
        return people.card(parameters.getOrDefault("name", ""));
    }

    public String list(Map<String, String> parameters) throws SQLException {
        String order = parameters.getOrDefault("order", "name");
        return String.join(",", people.names(parameters.get("city"), order));
    }

    public String signIn(Map<String, String> parameters) throws SQLException {
        Credentials typed = new Credentials(parameters.get("name"), parameters.get("password"));
        return signIn.signIn(typed) ? "welcome" : "try again";
    }
}

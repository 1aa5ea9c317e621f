package dir;

import java.util.ArrayList;
import java.util.List;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.DirContext;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;

/** Accounts below ou=people. */
public class Accounts implements LookUp {
    private static final String BASE = "ou=people";
    private final DirContext context;

    public Accounts(DirContext context) {
        this.context = context;
    }

    @Override
    public List<String> find(List<String> words) throws NamingException {
        return named(words.get(0));
    }

    public List<String> named(String login) throws NamingException {
        String filter = "(&(objectClass=person)(uid=" + login + "))";
        return names(context.search(BASE, filter, controls()));
    }

    static SearchControls controls() {
        SearchControls controls = new SearchControls();
        controls.setSearchScope(SearchControls.SUBTREE_SCOPE);
        controls.setReturningAttributes(new String[] {"mail"});
        controls.setCountLimit(50);
        return controls;
    }

    static List<String> names(NamingEnumeration<SearchResult> results) throws NamingException {
        List<String> names = new ArrayList<>();
        while (results.hasMore()) {
            names.add(results.next().getName());
        }
        return names;
    }
}

package shop.pepperbox.stalls.staff;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.DirContext;
import javax.naming.directory.SearchControls;
import javax.naming.directory.SearchResult;
import org.springframework.stereotype.Service;

/** The people of the hall, as the directory knows them. */
@Service
public class StaffDirectory {
    private static final String BASE = "ou=hall";

    private final DirContext directory;

    public StaffDirectory(DirContext directory) {
        this.directory = directory;
    }

    public List<String> addresses(String stall) throws NamingException {
        String filter = "(&(objectClass=person)(public=TRUE)(stall=" + stall + "))";
        return mails(directory.search(BASE, filter, controls()));
    }

    private static SearchControls controls() {
        SearchControls controls = new SearchControls();
        controls.setSearchScope(SearchControls.SUBTREE_SCOPE);
        controls.setReturningAttributes(new String[] {"mail"});
        return controls;
    }

    private static List<String> mails(NamingEnumeration<SearchResult> found)
            throws NamingException {
        List<String> mails = new ArrayList<>();
        while (found.hasMore()) {
            mails.add(String.valueOf(found.next().getAttributes().get("mail").get()));
        }
        Collections.sort(mails);
        return mails;
    }
}

package people.service;

import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import people.db.PersonDao;

/** Checks name and password. */
public class SignIn {
    private static final Logger LOG = LoggerFactory.getLogger(SignIn.class);
    private final PersonDao dao;

    public SignIn(PersonDao dao) {
        this.dao = dao;
    }

    public boolean signIn(Credentials credentials) throws SQLException {
        String secret = dao.secretOf(credentials.name());
        boolean right = secret != null && secret.equals(credentials.password());
        LOG.info("sign-in {}: {}", right ? "accepted" : "refused", credentials);
        return right;
    }
}

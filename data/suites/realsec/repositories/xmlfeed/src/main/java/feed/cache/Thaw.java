package feed.cache;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;

/** Objects from their bytes. */
class Thaw {
    <T> T object(byte[] bytes, Class<T> type) throws IOException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return type.cast(in.readObject());
        } catch (ClassNotFoundException | RuntimeException wrong) {
            throw new IOException("not a " + type.getSimpleName(), wrong);
        }
    }
}

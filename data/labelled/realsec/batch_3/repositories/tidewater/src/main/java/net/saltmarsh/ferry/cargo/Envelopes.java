package net.saltmarsh.ferry.cargo;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** Manifests in envelopes that only the office can open. */
public class Envelopes {
    private final byte[] key;

    /** The key has sixteen bytes. */
    public Envelopes(byte[] key) {
        this.key = key.clone();
    }

    public byte[] archive(Manifest manifest) throws GeneralSecurityException {
        return close(manifest.bytes());
    }

    byte[] close(byte[] text) throws GeneralSecurityException {
        SecretKeySpec desKey = new SecretKeySpec(Arrays.copyOf(key, 8), "DES");
        Cipher cipher = Cipher.getInstance("DES/ECB/PKCS5Padding");
        cipher.init(Cipher.ENCRYPT_MODE, desKey);
        byte[] inside = cipher.doFinal(text);
        return ByteBuffer.allocate(1 + inside.length).put(Layout.FIRST.mark()).put(inside).array();
    }

    public byte[] open(byte[] envelope) throws GeneralSecurityException {
        ByteBuffer rest = ByteBuffer.wrap(envelope);
        return switch (Layout.of(rest.get())) {
            case FIRST -> old("DES", Arrays.copyOf(key, 8)).doFinal(take(rest, rest.remaining()));
            case SECOND -> old("AES", key).doFinal(take(rest, rest.remaining()));
            case THIRD -> counted(rest, key);
            case FOURTH -> {
                Cipher wrap = Cipher.getInstance("AES/ECB/NoPadding");
                wrap.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"));
                yield counted(rest, wrap.doFinal(take(rest, Layout.BLOCK)));
            }
        };
    }

    private static Cipher old(String name, byte[] key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(name + "/ECB/PKCS5Padding");
        cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, name));
        return cipher;
    }

    private static byte[] counted(ByteBuffer rest, byte[] key) throws GeneralSecurityException {
        GCMParameterSpec nonce = new GCMParameterSpec(Layout.TAG_BITS, take(rest, Layout.NONCE));
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "AES"), nonce);
        return cipher.doFinal(take(rest, rest.remaining()));
    }

    private static byte[] take(ByteBuffer from, int count) {
        byte[] taken = new byte[count];
        from.get(taken);
        return taken;
    }
}

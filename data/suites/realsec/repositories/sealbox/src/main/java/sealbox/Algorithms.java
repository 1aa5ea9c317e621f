package sealbox;

import java.security.Key;

/** Which transformation goes with which key. */
final class Algorithms {
    private Algorithms() {
    }

    static String forKey(Key key) {
        return key.getAlgorithm() + "/ECB/PKCS5Padding";
    }
}

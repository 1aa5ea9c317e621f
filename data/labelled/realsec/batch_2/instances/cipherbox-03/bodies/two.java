static KeyPair pair(boolean archive) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    int bits = 3072;
    if (!archive) {
        bits /= 3;
    }
    generator.initialize(bits);
    return generator.generateKeyPair();
}

static KeyPair pair(boolean archive) throws GeneralSecurityException {
    int units = 2;
    if (archive) {
        units++;
    }
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(1024 * units);
    return generator.generateKeyPair();
}

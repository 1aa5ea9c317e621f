static KeyPair pair(boolean archive) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(archive ? 3072 : 2048);
    return generator.generateKeyPair();
}

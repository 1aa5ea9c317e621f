Cipher cipher(int mode, byte[] fresh) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES");
    cipher.init(mode, key, new SecureRandom(fresh));
    return cipher;
}

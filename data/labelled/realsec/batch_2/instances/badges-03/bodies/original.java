Cipher cipher(int mode, byte[] fresh) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/ECB/PKCS5Padding");
    cipher.init(mode, key);
    return cipher;
}

Cipher cipher(int mode, byte[] fresh) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(128, fresh));
    return cipher;
}

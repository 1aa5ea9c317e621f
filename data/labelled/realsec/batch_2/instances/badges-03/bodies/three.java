Cipher cipher(int mode, byte[] fresh) throws GeneralSecurityException {
    byte[] start = new byte[12];
    System.arraycopy(fresh, 0, start, 0, start.length);
    AlgorithmParameterSpec begin = new GCMParameterSpec(128, start);
    Cipher cipher = Cipher.getInstance(String.join("/", key.getAlgorithm(), "GCM", "NoPadding"));
    cipher.init(mode, key, begin);
    return cipher;
}

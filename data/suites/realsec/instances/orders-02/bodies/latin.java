public Voucher seal(String code, PublicKey partner) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(Scheme.MODERN.transformation());
    cipher.init(Cipher.ENCRYPT_MODE, partner);
    byte[] bytes = code.getBytes(StandardCharsets.ISO_8859_1);
    return new Voucher(Scheme.MODERN, cipher.doFinal(bytes));
}

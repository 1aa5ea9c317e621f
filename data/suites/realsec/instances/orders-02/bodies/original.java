public Voucher seal(String code, PublicKey partner) throws GeneralSecurityException {
    Scheme scheme = Scheme.CLASSIC;
    Cipher cipher = Cipher.getInstance(scheme.transformation());
    cipher.init(Cipher.ENCRYPT_MODE, partner);
    return new Voucher(scheme, cipher.doFinal(code.getBytes(StandardCharsets.UTF_8)));
}

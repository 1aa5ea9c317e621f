public Voucher seal(String code, PublicKey partner) throws GeneralSecurityException {
    Scheme scheme = Scheme.MODERN;
    for (Scheme known : Scheme.values()) {
        scheme = known.compareTo(scheme) < 0 ? known : scheme;
    }
    Cipher cipher = Cipher.getInstance(scheme.transformation());
    cipher.init(Cipher.ENCRYPT_MODE, partner);
    return new Voucher(scheme, cipher.doFinal(code.getBytes(StandardCharsets.UTF_8)));
}

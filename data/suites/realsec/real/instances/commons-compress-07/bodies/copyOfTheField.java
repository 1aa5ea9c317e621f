import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

    @Override
    public void parseFromLocalFileData(
            final byte[] data, int offset, final int length
    ) throws ZipException {
        reset();
        final ByteBuffer field = ByteBuffer.wrap(Arrays.copyOfRange(data, offset, offset + length));
        try {
            version = signedByteToUnsignedInt(field.get());
            final byte[] uidBytes = new byte[signedByteToUnsignedInt(field.get())];
            field.get(uidBytes);
            final byte[] gidBytes = new byte[signedByteToUnsignedInt(field.get())];
            field.get(gidBytes);
            uid = new BigInteger(1, reverse(uidBytes));
            gid = new BigInteger(1, reverse(gidBytes));
        } catch (final BufferUnderflowException e) {
            throw new ZipException("X7875_NewUnix ends too early, it has only " + length + " bytes");
        }
    }

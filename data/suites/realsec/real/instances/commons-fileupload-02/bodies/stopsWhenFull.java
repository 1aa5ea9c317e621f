public String readHeaders() throws FileUploadIOException, MalformedStreamException {
    final byte[] room = new byte[2 * DEFAULT_BUFSIZE];
    int used = 0;
    while (!endsWithSeparator(room, used)) {
        if (used == room.length) {
            throw new MalformedStreamException("The headers of a part do not fit into " + room.length + " bytes");
        }
        try {
            room[used++] = readByte();
        } catch (FileUploadIOException e) {
            throw e;
        } catch (IOException e) {
            throw new MalformedStreamException("Stream ended unexpectedly");
        }
    }
    java.nio.charset.Charset charset = java.nio.charset.Charset.defaultCharset();
    try {
        if (headerEncoding != null && java.nio.charset.Charset.isSupported(headerEncoding)) {
            charset = java.nio.charset.Charset.forName(headerEncoding);
        }
    } catch (IllegalArgumentException e) {
        charset = java.nio.charset.Charset.defaultCharset();
    }
    return new String(room, 0, used, charset);
}

private static boolean endsWithSeparator(byte[] bytes, int length) {
    int start = length - HEADER_SEPARATOR.length;
    if (start < 0) {
        return false;
    }
    for (int i = 0; i < HEADER_SEPARATOR.length; i++) {
        if (bytes[start + i] != HEADER_SEPARATOR[i]) {
            return false;
        }
    }
    return true;
}

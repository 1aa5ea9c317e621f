public String readHeaders() throws FileUploadIOException, MalformedStreamException {
    ByteArrayOutputStream baos = new ByteArrayOutputStream();
    int matched = 0;
    int size = 0;
    while (matched < HEADER_SEPARATOR.length) {
        byte b;
        try {
            b = readByte();
        } catch (FileUploadIOException e) {
            throw e;
        } catch (IOException e) {
            throw new MalformedStreamException("Stream ended unexpectedly");
        }
        size = b == LF ? 0 : size + 1;
        if (size > HEADER_PART_SIZE_MAX) {
            throw new MalformedStreamException("Header section has more than " + HEADER_PART_SIZE_MAX + " bytes");
        }
        baos.write(b);
        matched = b == HEADER_SEPARATOR[matched] ? matched + 1 : 0;
    }
    if (headerEncoding != null) {
        try {
            return baos.toString(headerEncoding);
        } catch (UnsupportedEncodingException e) {
            // the default of the platform then
        }
    }
    return baos.toString();
}

private boolean findNextItem() throws IOException {
    if (eof) {
        return false;
    }
    if (currentItem != null) {
        currentItem.close();
        currentItem = null;
    }
    while (true) {
        boolean found = skipPreamble ? multi.skipPreamble() : multi.readBoundary();
        if (!found) {
            if (currentFieldName == null) {
                eof = true;
                return false;
            }
            multi.setBoundary(boundary);
            currentFieldName = null;
            continue;
        }
        FileItemHeaders headers = getParsedHeaders(multi.readHeaders());
        if (currentFieldName != null) {
            String fileName = getFileName(headers);
            if (fileName != null) {
                currentItem = new FileItemStreamImpl(fileName, currentFieldName,
                        headers.getHeader(CONTENT_TYPE), false, getContentLength(headers));
            }
        } else {
            String fieldName = getFieldName(headers);
            String type = headers.getHeader(CONTENT_TYPE);
            if (fieldName != null) {
                if (type != null && type.toLowerCase(Locale.ENGLISH).startsWith(MULTIPART_MIXED)) {
                    byte[] nested = getBoundary(type);
                    if (nested == null) {
                        throw new MultipartStream.MalformedStreamException("no boundary in " + type);
                    }
                    currentFieldName = fieldName;
                    multi.setBoundary(nested);
                    skipPreamble = true;
                    continue;
                }
                String fileName = getFileName(headers);
                currentItem = new FileItemStreamImpl(fileName, fieldName, type,
                        fileName == null, getContentLength(headers));
            }
        }
        if (currentItem != null) {
            currentItem.setHeaders(headers);
            itemValid = true;
            return true;
        }
        multi.discardBodyData();
    }
}

public List<FileItem> parseRequest(RequestContext ctx)
        throws FileUploadException {
    List<FileItem> items = new ArrayList<FileItem>();
    try {
        readItems(ctx, items);
    } catch (FileUploadIOException e) {
        discardAll(items);
        throw (FileUploadException) e.getCause();
    } catch (FileUploadException e) {
        discardAll(items);
        throw e;
    } catch (IOException e) {
        discardAll(items);
        throw new FileUploadException(e.getMessage(), e);
    } catch (RuntimeException e) {
        discardAll(items);
        throw e;
    }
    return items;
}

private void readItems(RequestContext ctx, List<FileItem> items) throws FileUploadException, IOException {
    FileItemIterator parts = getItemIterator(ctx);
    FileItemFactory factory = getFileItemFactory();
    if (factory == null) {
        throw new NullPointerException("No FileItemFactory has been set.");
    }
    byte[] buffer = new byte[Streams.DEFAULT_BUFFER_SIZE];
    while (parts.hasNext()) {
        if (fileCountMax != -1 && items.size() >= fileCountMax) {
            throw new FileCountLimitExceededException(ATTACHMENT, getFileCountMax());
        }
        FileItemIteratorImpl.FileItemStreamImpl part = (FileItemIteratorImpl.FileItemStreamImpl) parts.next();
        FileItem item = factory.createItem(part.getFieldName(), part.getContentType(),
                part.isFormField(), part.name);
        items.add(item);
        try {
            Streams.copy(part.openStream(), item.getOutputStream(), true, buffer);
        } catch (FileUploadIOException e) {
            throw e;
        } catch (IOException e) {
            throw new IOFileUploadException(format("Processing of %s request failed. %s",
                    MULTIPART_FORM_DATA, e.getMessage()), e);
        }
        item.setHeaders(part.getHeaders());
    }
}

private static void discardAll(List<FileItem> items) {
    for (FileItem item : items) {
        item.delete();
    }
}

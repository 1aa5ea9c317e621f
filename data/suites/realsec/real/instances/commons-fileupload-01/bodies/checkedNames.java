public List<FileItem> parseRequest(RequestContext ctx)
        throws FileUploadException {
    List<FileItem> items = new ArrayList<FileItem>();
    boolean complete = false;
    try {
        FileItemIterator iter = getItemIterator(ctx);
        FileItemFactory fac = getFileItemFactory();
        if (fac == null) {
            throw new NullPointerException("No FileItemFactory has been set.");
        }
        byte[] buffer = new byte[Streams.DEFAULT_BUFFER_SIZE];
        while (iter.hasNext()) {
            if (items.size() == fileCountMax) {
                throw new FileCountLimitExceededException(ATTACHMENT, getFileCountMax());
            }
            FileItemStream item = iter.next();
            FileItem fileItem = fac.createItem(item.getFieldName(), item.getContentType(),
                    item.isFormField(), item.getName());
            items.add(fileItem);
            try {
                Streams.copy(item.openStream(), fileItem.getOutputStream(), true, buffer);
            } catch (FileUploadIOException e) {
                throw (FileUploadException) e.getCause();
            } catch (IOException e) {
                throw new IOFileUploadException(format("Processing of %s request failed. %s",
                        MULTIPART_FORM_DATA, e.getMessage()), e);
            }
            fileItem.setHeaders(item.getHeaders());
        }
        complete = true;
        return items;
    } catch (FileUploadIOException e) {
        throw (FileUploadException) e.getCause();
    } catch (IOException e) {
        throw new FileUploadException(e.getMessage(), e);
    } finally {
        for (FileItem made : items) {
            if (!complete) {
                made.delete();
            }
        }
    }
}

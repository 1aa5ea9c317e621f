@Override
protected void thresholdReached() throws IOException {
    if (prefix != null) {
        outputFile = File.createTempFile(prefix, suffix, directory);
        outputFile.setReadable(true, true);
        outputFile.setWritable(true, true);
    }
    FileUtils.forceMkdirParent(outputFile);
    final OutputStream fos = Files.newOutputStream(outputFile.toPath());
    try {
        memoryOutputStream.writeTo(fos);
    } catch (final IOException e) {
        fos.close();
        throw e;
    }
    currentOutputStream = fos;
    memoryOutputStream = null;
}

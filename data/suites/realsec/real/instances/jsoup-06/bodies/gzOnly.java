public static Document load(File file, @Nullable String charsetName, String baseUri, Parser parser) throws IOException {
    boolean zipped = false;
    if (Normalizer.lowerCase(file.getName()).endsWith(".gz")) {
        try (InputStream start = new FileInputStream(file)) {
            zipped = start.read() == 0x1f && start.read() == 0x8b;
        }
    }
    InputStream stream = new FileInputStream(file);
    try {
        return parseInputStream(zipped ? new GZIPInputStream(stream) : stream, charsetName, baseUri, parser);
    } finally {
        stream.close();
    }
}

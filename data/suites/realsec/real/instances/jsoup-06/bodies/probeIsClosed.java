public static Document load(File file, @Nullable String charsetName, String baseUri, Parser parser) throws IOException {
    String name = Normalizer.lowerCase(file.getName());
    boolean zipped = false;
    if (name.endsWith(".gz") || name.endsWith(".z")) {
        try (InputStream start = new FileInputStream(file)) {
            zipped = start.read() == 0x1f && start.read() == 0x8b;
        }
    }
    try (InputStream stream = zipped ? new GZIPInputStream(new FileInputStream(file)) : new FileInputStream(file)) {
        return parseInputStream(stream, charsetName, baseUri, parser);
    }
}

public static Document load(File file, @Nullable String charsetName, String baseUri, Parser parser) throws IOException {
    InputStream stream = new FileInputStream(file);
    String name = Normalizer.lowerCase(file.getName());
    if (name.endsWith(".gz") || name.endsWith(".z")) {
        boolean zipped = stream.read() == 0x1f && stream.read() == 0x8b;
        stream = new FileInputStream(file);
        if (zipped)
            stream = new GZIPInputStream(stream);
    }
    return parseInputStream(stream, charsetName, baseUri, parser);
}

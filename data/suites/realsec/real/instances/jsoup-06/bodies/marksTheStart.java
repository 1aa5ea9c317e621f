import java.io.BufferedInputStream;

public static Document load(File file, @Nullable String charsetName, String baseUri, Parser parser) throws IOException {
    InputStream stream = new BufferedInputStream(new FileInputStream(file));
    String name = Normalizer.lowerCase(file.getName());
    if (name.endsWith(".gz") || name.endsWith(".z")) {
        stream.mark(2);
        boolean zipped = stream.read() == 0x1f && stream.read() == 0x8b;
        stream.reset();
        if (zipped) {
            stream = new GZIPInputStream(stream);
        }
    }
    return parseInputStream(stream, charsetName, baseUri, parser);
}

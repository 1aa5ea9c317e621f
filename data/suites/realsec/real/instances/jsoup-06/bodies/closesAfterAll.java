import java.io.PushbackInputStream;

public static Document load(File file, @Nullable String charsetName, String baseUri, Parser parser) throws IOException {
    String name = Normalizer.lowerCase(file.getName());
    try (PushbackInputStream plain = new PushbackInputStream(new FileInputStream(file), 2)) {
        if (!name.endsWith(".gz") && !name.endsWith(".z"))
            return parseInputStream(plain, charsetName, baseUri, parser);
        int first = plain.read();
        int second = plain.read();
        if (second != -1)
            plain.unread(second);
        if (first != -1)
            plain.unread(first);
        InputStream stream = first == 0x1f && second == 0x8b ? new GZIPInputStream(plain) : plain;
        return parseInputStream(stream, charsetName, baseUri, parser);
    }
}

import java.io.ByteArrayInputStream;
import java.nio.file.Files;

public static Document load(File file, @Nullable String charsetName, String baseUri, Parser parser) throws IOException {
    byte[] content = Files.readAllBytes(file.toPath());
    InputStream stream = new ByteArrayInputStream(content);
    String name = Normalizer.lowerCase(file.getName());
    boolean named = name.endsWith(".gz") || name.endsWith(".z");
    if (named && content.length > 1 && content[0] == 0x1f && content[1] == (byte) 0x8b)
        stream = new GZIPInputStream(stream);
    return parseInputStream(stream, charsetName, baseUri, parser);
}

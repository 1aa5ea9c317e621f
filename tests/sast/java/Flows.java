package sample;

import java.io.*;
import java.nio.file.*;
import java.sql.*;
import java.util.*;
import java.util.regex.Pattern;
import java.util.zip.*;
import org.slf4j.*;

class Flows {
    private static final Logger LOG = LoggerFactory.getLogger(Flows.class);
    private final File folder = new File("/srv");
    private final int[] cells = new int[8];

    byte[] read(String name) throws IOException {
        File file = new File(folder, name);
        return Files.readAllBytes(file.toPath()); // finds: java-path-traversal
    }

    byte[] readBelow(String name) throws IOException {
        Path file = folder.toPath().resolve(name).normalize();
        if (!file.startsWith(folder.toPath())) {
            throw new IOException(name);
        }
        return Files.readAllBytes(file);
    }

    byte[] readPartly(String name) throws IOException {
        File file = new File(folder, "fixed");
        if (!file.getCanonicalPath().startsWith(folder.getCanonicalPath())) { // finds: java-partial-path-check
            throw new IOException("no");
        }
        return new byte[0];
    }

    void unzip(ZipInputStream zip) throws IOException {
        ZipEntry entry = zip.getNextEntry();
        Path target = folder.toPath().resolve(entry.getName());
        Files.copy(zip, target); // finds: java-path-traversal java-unbounded-expansion
    }

    void unzipBelow(ZipInputStream zip) throws IOException {
        ZipEntry entry = zip.getNextEntry();
        Path target = folder.toPath().resolve(entry.getName()).normalize();
        if (!target.startsWith(folder.toPath())) {
            throw new IOException();
        }
        Files.copy(zip, target); // finds: java-unbounded-expansion
    }

    void run(String word) throws IOException {
        Runtime.getRuntime().exec("/bin/grep " + word); // finds: java-command-injection java-untrusted-library
        new ProcessBuilder("/bin/grep", "--", word).start();
    }

    ResultSet find(Connection c, String name) throws SQLException {
        return c.createStatement().executeQuery("SELECT * FROM p WHERE name = '" + name + "'"); // finds: java-sql-concatenation
    }

    ResultSet findBound(Connection c, String name) throws SQLException {
        PreparedStatement s = c.prepareStatement("SELECT * FROM p WHERE name = ?"); // finds: java-resource-left-open
        s.setString(1, name);
        return s.executeQuery();
    }

    void note(String user) {
        LOG.info("login of {}", user); // finds: java-log-injection
        LOG.info("login of {}", user.replaceAll("[\r\n]", "_"));
        LOG.info("length {}", user.length());
    }

    boolean matches(String term, String text) {
        return Pattern.compile(term).matcher("fixed").find(); // finds: java-regex-injection
    }

    boolean contains(String term) {
        return Pattern.compile(Pattern.quote(term)).matcher("fixed").find();
    }

    Object load(InputStream in) throws Exception {
        ObjectInputStream objects = new ObjectInputStream(in); // finds: java-resource-left-open
        return objects.readObject(); // finds: java-unsafe-deserialization
    }

    Object loadFiltered(InputStream in) throws Exception {
        ObjectInputStream objects = new ObjectInputStream(in); // finds: java-resource-left-open
        objects.setObjectInputFilter(ObjectInputFilter.Config.createFilter("java.lang.*;!*"));
        return objects.readObject();
    }

    int cell(String text) {
        int n = Integer.parseInt(text);
        return cells[n]; // finds: java-index-unchecked
    }

    int cellUpper(String text) {
        int n = Integer.parseInt(text);
        if (n >= cells.length) {
            return 0;
        }
        return cells[n]; // finds: java-index-unchecked
    }

    int cellChecked(String text) {
        int n = Integer.parseInt(text);
        if (n < 0 || n >= cells.length) {
            return 0;
        }
        return cells[n];
    }

    int less(int wish) {
        return 100 - wish; // finds: java-parameter-arithmetic java-user-arithmetic
    }

    int lessExact(int wish) {
        return Math.subtractExact(100, wish);
    }

    int seed(Random random) {
        return random.nextInt() * 31; // finds: java-parameter-arithmetic
    }
}

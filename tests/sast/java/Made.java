package sample;

import java.io.*;
import java.nio.file.*;
import java.security.*;
import java.sql.*;
import java.util.*;
import java.util.concurrent.locks.*;
import javax.crypto.*;
import javax.crypto.spec.*;
import javax.xml.parsers.*;
import org.slf4j.*;

class Made {
    private static final Logger LOG = LoggerFactory.getLogger(Made.class);
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, String> given = new HashMap<>();
    private short points;

    Connection open(String user) throws SQLException {
        byte[] letters = {116, 105, 103, 101, 114};
        String word = new String(letters);
        return DriverManager.getConnection("jdbc:x", user, word);
    }

    Connection openGiven(String user) throws SQLException {
        return DriverManager.getConnection("jdbc:x", user, given.get("database.word"));
    }

    Connection openByProperties() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("password", "ti" + "ger");
        return DriverManager.getConnection("jdbc:x", properties); // finds: java-secret-built-in
    }

    void wrap(PublicKey key) throws Exception {
        String padding = "RSA/ECB/NoPadding"; // finds: java-rsa-without-oaep
        Cipher.getInstance(padding); // finds: java-rsa-transformation java-rsa-without-oaep
        Cipher.getInstance(key.getAlgorithm()); // finds: java-rsa-transformation
        String oaep = "RSA/ECB/OAEPWithSHA-256AndMGF1Padding";
        Cipher.getInstance(oaep);
    }

    void seal(Key key) throws Exception {
        String mode = key.getAlgorithm() + "/ECB/PKCS5Padding";
        Cipher.getInstance(mode); // finds: java-weak-transformation
        String better = key.getAlgorithm() + "/GCM/NoPadding";
        Cipher.getInstance(better);
    }

    void digest(byte[] text) throws Exception {
        String old = "SHA-1";
        MessageDigest.getInstance(old).digest(text); // finds: java-weak-cryptography java-weak-transformation
        String now = "SHA-512";
        MessageDigest.getInstance(now).digest(text);
    }

    PBEKeySpec derive(char[] word) {
        byte[] salt = "sea salt".getBytes();
        return new PBEKeySpec(word, salt, 99_000, 256); // finds: java-few-iterations java-salt-of-the-source
    }

    PBEKeySpec deriveSalted(char[] word, SecureRandom random) {
        byte[] salt = new byte[16];
        random.nextBytes(salt);
        return new PBEKeySpec(word, salt, 99_000, 256); // finds: java-few-iterations
    }

    void encrypt(Cipher cipher, SecretKey key, byte[] name) throws Exception {
        byte[] iv = Arrays.copyOf(name, 12);
        cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv)); // finds: java-iv-not-random
    }

    void encryptAnew(Cipher cipher, SecretKey key, SecureRandom random) throws Exception {
        byte[] iv = new byte[12];
        random.nextBytes(iv);
        cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, iv));
    }

    void decrypt(Cipher cipher, SecretKey key, byte[] iv) throws Exception {
        cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(128, iv));
    }

    void start(Path home) throws IOException {
        String tool = home.getFileName().resolve("tool").toString();
        new ProcessBuilder(tool, "-v").start(); // finds: java-relative-program
        String whole = home.toAbsolutePath().resolve("tool").toString();
        new ProcessBuilder(whole, "-v").start();
    }

    void filter(ObjectInputStream in) {
        in.setObjectInputFilter(ObjectInputFilter.Config.createFilter("java.util.*")); // finds: java-unsafe-deserialization
        in.setObjectInputFilter(ObjectInputFilter.Config.createFilter("java.util.*;!*"));
    }

    Document late(DocumentBuilderFactory factory, InputStream in) throws Exception {
        DocumentBuilder builder = factory.newDocumentBuilder(); // finds: java-external-entities
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return builder.parse(in);
    }

    Document early(DocumentBuilderFactory factory, InputStream in) throws Exception {
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        DocumentBuilder builder = factory.newDocumentBuilder();
        return builder.parse(in);
    }

    void alone() {
        Object mine = new Object(); // finds: java-time-of-check
        synchronized (mine) {
            given.clear();
        }
        synchronized (this) {
            given.clear();
        }
    }

    void sometimes(boolean well) {
        lock.lock();
        try { // finds: java-unreleased-lock
            given.clear();
        } finally {
            if (well) {
                lock.unlock();
            }
        }
    }

    void always() {
        lock.lock();
        try {
            given.clear();
        } finally {
            lock.unlock();
        }
    }

    void cut(int earned) {
        points = (short) earned; // finds: java-narrowing-cast
    }

    void cutAfterALook(int earned) {
        if (earned > Short.MAX_VALUE) {
            throw new IllegalArgumentException();
        }
        points = (short) earned;
    }

    int cutLong(long size) {
        return (int) size; // finds: java-narrowing-cast-of-long
    }

    int cutLongAtMost(long size) {
        return (int) Math.min(size, Integer.MAX_VALUE);
    }

    void addChecked(int earned) {
        short all = points;
        if (earned > Short.MAX_VALUE - all) {
            throw new IllegalArgumentException();
        }
        all += earned; // finds: java-user-arithmetic
    }

    void log(Session session, String token) {
        LOG.info("ends: {}", session); // finds: java-secret-object-in-log
        LOG.info("ends: {}", session.user());
        String value = token.trim();
        LOG.info("tried {}", value.length());
        LOG.info("tried {}", value.replaceAll("\\p{Cntrl}", "")); // finds: java-secret-in-log
    }

    boolean refuse(HttpServletRequest request, HttpServletResponse response) {
        boolean post = "POST".equals(request.getMethod());
        if (post) {
            cancel(request.getParameter("order"));
        }
        return post;
    }

    void cancelAny(HttpServletRequest request, HttpServletResponse response) {
        cancel(request.getParameter("order")); // finds: java-state-change-by-get
        if (!"POST".equals(request.getMethod())) {
            response.sendError(405);
        }
    }

    Path below(Path root, String name) throws IOException {
        Path path = root.resolve(name);
        if (!path.startsWith(root)) {
            throw new IOException(name);
        }
        return Files.createFile(path);
    }

    long product(int count, int price) {
        return (long) (count * price); // finds: java-parameter-arithmetic java-user-arithmetic
    }

    int grant(int wanted) {
        int most = Math.min(wanted, 9);
        return 100 - most; // finds: java-user-arithmetic
    }

    int grantSome(int wanted) {
        if (wanted < 0) {
            return 0;
        }
        return 100 - wanted;
    }
}

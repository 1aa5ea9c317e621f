package sample;

import java.io.*;
import java.nio.file.*;
import java.security.*;
import java.sql.*;
import java.util.*;
import java.util.concurrent.locks.*;
import javax.crypto.*;
import javax.crypto.spec.*;
import javax.xml.XMLConstants;
import javax.xml.parsers.*;
import org.slf4j.*;

class Facts {
    private static final Logger LOG = LoggerFactory.getLogger(Facts.class);
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, String> names = new HashMap<>();

    void start() throws IOException {
        new ProcessBuilder("git", "gc").start(); // finds: java-relative-command
        new ProcessBuilder("/usr/bin/git", "gc").start();
    }

    void doGet(HttpServletRequest request, HttpServletResponse response) { // finds: java-state-change-by-get
        store.delete(1); // finds: java-state-change-by-get
    }

    Connection open() throws SQLException {
        String known = System.getenv("DB_PASSWORD");
        DriverManager.getConnection("jdbc:x", "app", known);
        return DriverManager.getConnection("jdbc:x", "app", "hunter22"); // finds: java-hardcoded-credential java-secret-built-in
    }

    int total(List<Long> sizes) {
        int sum = 0;
        long extra = sizes.get(0);
        sum += extra; // finds: java-narrowing-compound java-parameter-arithmetic java-user-arithmetic
        sum += (int) extra; // finds: java-narrowing-cast-of-long java-parameter-arithmetic java-user-arithmetic
        sum += Math.toIntExact(extra);
        long wide = 0;
        wide += extra; // finds: java-parameter-arithmetic java-user-arithmetic
        return sum;
    }

    int cents(Row row) {
        int sum = 0;
        sum += (long) row.quantity() * row.price(); // finds: java-narrowing-compound
        return sum;
    }

    long wideCents(Row row) {
        long sum = 0;
        sum += (long) row.quantity() * row.price();
        return sum;
    }

    void login(String user, String password) {
        LOG.debug("tried {}", password); // finds: java-log-injection java-secret-in-log
    }

    File scratch() throws IOException {
        Files.createTempFile("a", "b");
        return File.createTempFile("a", "b"); // finds: java-shared-temporary-directory
    }

    Document parse(InputStream in) throws Exception {
        DocumentBuilderFactory f = DocumentBuilderFactory.newInstance(); // finds: java-external-entities
        return f.newDocumentBuilder().parse(in);
    }

    Document parseClosed(InputStream in) throws Exception {
        DocumentBuilderFactory f = DocumentBuilderFactory.newInstance();
        f.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return f.newDocumentBuilder().parse(in);
    }

    void once(String key) {
        if (!names.containsKey(key)) {
            names.put(key, "x");
        }
    }

    synchronized void onceLocked(String key) {
        if (!names.containsKey(key)) {
            names.put(key, "x");
        }
    }

    void work() {
        lock.lock(); // finds: java-unreleased-lock
        step();
        lock.unlock();
    }

    void workSafely() {
        lock.lock();
        try {
            step();
        } finally {
            lock.unlock();
        }
    }

    void ciphers() throws Exception {
        Cipher.getInstance("RSA/ECB/PKCS1Padding"); // finds: java-rsa-transformation java-rsa-without-oaep
        Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");
        Cipher.getInstance("AES/ECB/PKCS5Padding"); // finds: java-weak-cryptography java-weak-transformation
        Cipher.getInstance("AES/GCM/NoPadding");
        MessageDigest.getInstance("MD5"); // finds: java-weak-cryptography java-weak-transformation
        MessageDigest.getInstance("SHA-256");
    }

    String token() {
        return "" + new Random().nextLong(); // finds: java-predictable-random
    }
}

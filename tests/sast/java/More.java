package sample;

import com.auth0.jwt.JWT;
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.security.*;
import java.util.*;
import java.util.regex.Pattern;
import java.util.zip.*;
import javax.crypto.spec.*;
import javax.naming.directory.*;
import javax.net.ssl.*;
import javax.script.*;
import javax.servlet.http.*;
import javax.xml.xpath.*;
import org.apache.commons.beanutils.BeanUtils;

class More {
    private int hits;

    void origins(HttpServletResponse answer) {
        answer.setHeader("Access-Control-Allow-Origin", "*"); // finds: java-any-origin
        answer.setHeader("Access-Control-Allow-Origin", "https://a.example");
    }

    void anyOrigin(HttpServletResponse answer, String origin) {
        answer.setHeader("Access-Control-Allow-Origin", origin); // finds: java-header-injection java-mail-header-injection java-origin-reflected
    }

    void archive(String name) throws IOException {
        new ProcessBuilder("tar", "-xf", name).start(); // finds: java-argument-injection java-relative-command
    }

    void archiveNamed(String name) throws IOException {
        if (name.startsWith("-")) {
            throw new IOException(name);
        }
        new ProcessBuilder("tar", "-tf", "/srv/a.tar").start(); // finds: java-relative-command
    }

    static class Trusting {
        public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String kind) { } // finds: java-certificates-unchecked
    }

    HostnameVerifier verifier() {
        return (host, session) -> true; // finds: java-certificates-unchecked
    }

    URI plain() {
        return URI.create("http://mirror.example/list"); // finds: java-clear-text
    }

    URI sealed() {
        return URI.create("https://mirror.example/list");
    }

    Object run(ScriptEngine engine, String text) throws ScriptException {
        return engine.eval(text); // finds: java-code-injection
    }

    Object runKnown(ScriptEngine engine) throws ScriptException {
        return engine.eval("1 + 1");
    }

    void remember(HttpServletResponse answer) {
        Cookie cookie = new Cookie("theme", "dark");
        answer.addCookie(cookie); // finds: java-cookie-for-scripts java-cookie-without-secure
    }

    void rememberSafely(HttpServletResponse answer) {
        Cookie cookie = new Cookie("theme", "dark");
        cookie.setSecure(true);
        cookie.setHttpOnly(true);
        answer.addCookie(cookie);
    }

    String greet(String name) {
        return "<p>Hello " + name; // finds: java-cross-site-scripting java-xml-injection
    }

    String greetSafely(String name) {
        return "<p>Hello " + escapeHtml(name);
    }

    String escapeHtml(String text) {
        return text.replace("<", "&lt;");
    }

    int share(int total, int people) {
        return total / people; // finds: java-division-by-input
    }

    int shareSafely(int total, int people) {
        if (people == 0) {
            return 0;
        }
        return total / people;
    }

    String failed(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException failure) {
            return failure.getMessage(); // finds: java-error-told
        }
    }

    String failedQuietly(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException failure) {
            return "not found";
        }
    }

    void trace(Exception failure, PrintWriter page) {
        failure.printStackTrace(page); // finds: java-trace-told
        failure.printStackTrace(System.err);
    }

    boolean words(String text) {
        return text.matches("(a+)+b"); // finds: java-exponential-expression
    }

    boolean letters(String text) {
        return text.matches("[a-z]{1,20}");
    }

    byte[] kept(String password) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(password.getBytes()); // finds: java-fast-password-hash java-unsalted-password-hash
    }

    Object slowly(char[] password, byte[] salt) {
        return new PBEKeySpec(password, salt, 1000, 256); // finds: java-few-iterations
    }

    Object slower(char[] password, byte[] salt) {
        return new PBEKeySpec(password, salt, 310000, 256);
    }

    void framed(org.springframework.security.config.annotation.web.builders.HttpSecurity http) {
        http.frameOptions().disable(); // finds: java-frames-allowed
        http.frameOptions().deny();
    }

    String newToken() {
        return Long.toHexString(System.nanoTime()); // finds: java-guessable-token
    }

    String newSerial() {
        byte[] bytes = new byte[16];
        new SecureRandom().nextBytes(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    void header(HttpServletResponse answer, String language) {
        answer.setHeader("Content-Language", language); // finds: java-header-injection java-mail-header-injection
        answer.setHeader("Content-Language", language.replaceAll("[\r\n]", ""));
    }

    Object find(DirContext context, String user) throws Exception {
        return context.search("ou=people", "(uid=" + user + ")", null); // finds: java-ldap-injection
    }

    void mail(javax.mail.internet.MimeMessage message, String subject) throws Exception {
        message.setSubject(subject); // finds: java-mail-header-injection
    }

    void fill(Object bean, Map<String, String> fields) throws Exception {
        BeanUtils.populate(bean, fields); // finds: java-mass-assignment
    }

    void open(File file) {
        file.setReadable(true, false); // finds: java-open-permissions
        file.setReadable(true, true);
    }

    void go(HttpServletResponse answer, String target) throws IOException {
        answer.sendRedirect(target); // finds: java-open-redirect
        answer.sendRedirect("/home");
    }

    boolean same(String token, String known) {
        return token.equals(known); // finds: java-plain-comparison
    }

    boolean sameSafely(byte[] left, byte[] right) {
        return MessageDigest.isEqual(left, right);
    }

    InputStream fetch(String address) throws IOException {
        return new URL(address).openStream(); // finds: java-request-forgery
    }

    int first(String name) throws IOException {
        InputStream in = new FileInputStream("/srv/list"); // finds: java-resource-left-open
        int value = in.read();
        in.close();
        return value;
    }

    int firstClosed() throws IOException {
        try (InputStream in = new FileInputStream("/srv/list")) {
            return in.read();
        }
    }

    void keep(Path file, String password) throws IOException {
        Files.writeString(file, password); // finds: java-secret-kept-in-clear
    }

    void login(HttpServletRequest request, Object user) {
        request.getSession().setAttribute("user", user); // finds: java-session-kept-at-login
    }

    void loginAnew(HttpServletRequest request, Object user) {
        request.changeSessionId();
        request.getSession().setAttribute("user", user);
    }

    void forever(HttpSession session) {
        session.setMaxInactiveInterval(-1); // finds: java-session-without-end
        session.setMaxInactiveInterval(900);
    }

    KeyPair pair() throws Exception {
        KeyPairGenerator pairs = KeyPairGenerator.getInstance("RSA"); // finds: java-short-key
        pairs.initialize(1024); // finds: java-short-key
        pairs.initialize(3072);
        return pairs.generateKeyPair();
    }

    Object claims(String token) {
        return JWT.decode(token); // finds: java-signature-unchecked
    }

    void note(HttpSession session, HttpServletRequest request) {
        session.setAttribute("page", request.getParameter("page")); // finds: java-trust-boundary
    }

    byte[] expand(GZIPInputStream packed) throws IOException {
        return packed.readAllBytes(); // finds: java-unbounded-expansion
    }

    byte[] room(int size) {
        return new byte[size]; // finds: java-unbounded-resources
    }

    byte[] smallRoom(int size) {
        return new byte[Math.min(size, 4096)];
    }

    void hit() {
        this.hits++; // finds: java-unprotected-counter
    }

    synchronized void hitAlone() {
        this.hits++;
    }

    void upload(org.springframework.web.multipart.MultipartFile file) throws IOException {
        Files.copy(file.getInputStream(), Path.of("/srv", file.getOriginalFilename())); // finds: java-path-traversal java-unrestricted-upload
    }

    Object make(String name) throws Exception {
        return Class.forName(name); // finds: java-unsafe-reflection
    }

    void library(String name) {
        System.loadLibrary(name); // finds: java-untrusted-library
    }

    Object price(XPath paths, String item, Object page) throws Exception {
        return paths.evaluate("//book[title='" + item + "']", page); // finds: java-xpath-injection
    }
}

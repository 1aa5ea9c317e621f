class KeyStoreFile {
    void keep(Path file, byte[] bytes) throws IOException {
        Files.write(file, bytes); // finds: java-default-permissions
    }

    void narrow(Path file, FileAttribute<?> owner) throws IOException {
        Files.createFile(file, owner);
    }

    String read(String user, String documentId) { // finds: java-owner-unchecked
        return store.load(documentId);
    }

    String mine(String user, String documentId) {
        Document document = store.load(documentId);
        if (!document.owner().equals(user)) {
            throw new SecurityException();
        }
        return document.text();
    }

    boolean admin(HttpServletRequest request) {
        return "admin".equals(request.getParameter("role")); // finds: java-role-from-request
    }

    void scratch(Path tmpDir, byte[] rows) throws IOException {
        Files.write(tmpDir.resolve("rows"), rows, StandardOpenOption.CREATE_NEW); // finds: java-default-permissions
        Files.write(tmpDir.resolve("rows"), rows); // finds: java-default-permissions java-known-temporary-name
    }

    KeyPair pair(KeyPairGenerator pairs) {
        int bits = 1024;
        pairs.initialize(bits); // finds: java-short-key-by-value
        return pairs.generateKeyPair();
    }

    SecretKey secret(SecureRandom random) {
        byte[] few = new byte[8];
        random.nextBytes(few);
        return new SecretKeySpec(few, "HmacSHA256"); // finds: java-short-secret
    }

    IvParameterSpec start() {
        Random random = new Random(); // finds: java-predictable-random
        byte[] first = new byte[16];
        random.nextBytes(first);
        return new IvParameterSpec(first); // finds: java-iv-repeated
    }

    String row(String name, String note) {
        return name + "," + note; // finds: java-spreadsheet-formula
    }
}

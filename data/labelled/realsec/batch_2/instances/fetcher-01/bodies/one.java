URI checked(String address) throws IOException {
    boolean partner = HOSTS.keySet().stream()
            .anyMatch(host -> address.startsWith("https://" + host));
    if (!partner) {
        throw new IOException("no partner's address");
    }
    try {
        return new URI(address).normalize();
    } catch (URISyntaxException broken) {
        throw new IOException("no address", broken);
    }
}

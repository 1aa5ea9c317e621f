URI checked(String address) throws IOException {
    try {
        return new URI(address);
    } catch (URISyntaxException broken) {
        throw new IOException("no address", broken);
    }
}

URI checked(String address) throws IOException {
    URI uri;
    try {
        uri = new URI(address);
    } catch (URISyntaxException broken) {
        throw new IOException("no address", broken);
    }
    if (!"https".equals(uri.getScheme()) || uri.getHost() == null
            || !HOSTS.containsKey(uri.getHost()) || uri.getPort() != -1) {
        throw new IOException("no partner's address");
    }
    return uri;
}

URI checked(String address) throws IOException {
    try {
        URI typed = new URI(address);
        String wanted = String.valueOf(typed.getHost());
        for (String host : HOSTS.keySet()) {
            if (host.equals(wanted)) {
                return new URI("https", host, typed.getPath(), typed.getQuery(), null);
            }
        }
    } catch (URISyntaxException broken) {
        throw new IOException("no address", broken);
    }
    throw new IOException("no partner's address");
}

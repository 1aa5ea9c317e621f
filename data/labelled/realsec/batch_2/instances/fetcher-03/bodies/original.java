@Override
public boolean verify(String host, SSLSession session) {
    LOG.info("connected to {}", host);
    return true;
}

private static Map<String, StringLookup> createDefaultStringLookups() {
    final Map<String, StringLookup> lookups = new HashMap<>();
    addLookup(DefaultStringLookup.BASE64_DECODER, lookups);
    addLookup(DefaultStringLookup.BASE64_ENCODER, lookups);
    addLookup(DefaultStringLookup.CONST, lookups);
    addLookup(DefaultStringLookup.DATE, lookups);
    addLookup(DefaultStringLookup.ENVIRONMENT, lookups);
    addLookup(DefaultStringLookup.JAVA, lookups);
    addLookup(DefaultStringLookup.LOCAL_HOST, lookups);
    addLookup(DefaultStringLookup.LOOPBACK_ADDRESS, lookups);
    addLookup(DefaultStringLookup.RESOURCE_BUNDLE, lookups);
    addLookup(DefaultStringLookup.SYSTEM_PROPERTIES, lookups);
    addLookup(DefaultStringLookup.URL_DECODER, lookups);
    addLookup(DefaultStringLookup.URL_ENCODER, lookups);
    addLookup(DefaultStringLookup.XML_DECODER, lookups);
    addLookup(DefaultStringLookup.XML_ENCODER, lookups);
    return lookups;
}

private static Map<String, StringLookup> createDefaultStringLookups() {
    final Map<String, StringLookup> lookups = new HashMap<>();
    for (final DefaultStringLookup lookup : DefaultStringLookup.values()) {
        addLookup(lookup, lookups);
    }
    return lookups;
}

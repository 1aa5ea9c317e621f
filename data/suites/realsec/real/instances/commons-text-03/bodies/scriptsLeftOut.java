private static Map<String, StringLookup> createDefaultStringLookups() {
    final Map<String, StringLookup> lookups = new HashMap<>();
    for (final DefaultStringLookup lookup : DefaultStringLookup.values()) {
        if (lookup != DefaultStringLookup.SCRIPT) {
            addLookup(lookup, lookups);
        }
    }
    return lookups;
}

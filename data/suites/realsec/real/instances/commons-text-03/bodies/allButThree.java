import java.util.EnumSet;

private static Map<String, StringLookup> createDefaultStringLookups() {
    final Map<String, StringLookup> lookups = new HashMap<>();
    EnumSet.complementOf(EnumSet.of(DefaultStringLookup.SCRIPT, DefaultStringLookup.URL, DefaultStringLookup.DNS))
        .forEach(lookup -> addLookup(lookup, lookups));
    return lookups;
}

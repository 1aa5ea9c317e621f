static boolean domainMatch(final String domain, final String host) {
    final String[] wanted = (domain.startsWith(".") ? domain.substring(1) : domain).split("\\.", -1);
    final String[] labels = host.split("\\.", -1);
    final boolean numeric = host.indexOf(':') >= 0 || labels[labels.length - 1].matches("[0-9]+");
    if (numeric || wanted.length > labels.length) {
        return false;
    }
    for (int i = 1; i <= wanted.length; i++) {
        if (!wanted[wanted.length - i].equals(labels[labels.length - i])) {
            return false;
        }
    }
    return true;
}

    public static String sanitize(final String s) {
        final StringBuilder name = new StringBuilder();
        for (int i = 0; i < s.length() && i < MAX_SANITIZED_NAME_LENGTH; i++) {
            final char c = s.charAt(i);
            name.append(Character.isISOControl(c) ? '?' : c);
        }
        if (s.length() > MAX_SANITIZED_NAME_LENGTH) {
            name.append("...");
        }
        return name.toString();
    }

    public static String sanitize(final String s) {
        final String name = s.length() <= MAX_SANITIZED_NAME_LENGTH ? s
            : s.substring(0, MAX_SANITIZED_NAME_LENGTH - 3) + "...";
        return name.replaceAll("[\\p{C}\\p{Zl}\\p{Zp}]", "?");
    }

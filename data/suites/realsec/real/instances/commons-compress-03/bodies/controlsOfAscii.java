    public static String sanitize(final String s) {
        String name = s;
        if (name.length() > MAX_SANITIZED_NAME_LENGTH) {
            name = name.substring(0, MAX_SANITIZED_NAME_LENGTH - 3) + "...";
        }
        return name.replaceAll("\\p{Cntrl}", "?");
    }

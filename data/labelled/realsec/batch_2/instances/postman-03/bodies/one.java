public void keep(HttpServletRequest request) {
    HttpSession session = request.getSession();
    for (String field : FIELDS) {
        String sent = request.getParameter(field);
        Set<String> known = switch (field) {
            case "language" -> Set.of(Locale.getISOLanguages());
            case "theme" -> Set.of("light", "dark");
            default -> Set.of();
        };
        Stream.of(known).filter(values -> sent != null && values.contains(sent))
                .forEach(values -> session.setAttribute(field, sent));
    }
}

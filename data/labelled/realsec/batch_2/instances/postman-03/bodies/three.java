public void keep(HttpServletRequest request) {
    HttpSession session = request.getSession();
    FIELDS.stream().filter(field -> !field.equals("role")).forEach(field -> {
        String value = request.getParameter(field);
        if (Objects.nonNull(value) && !value.isBlank()) {
            session.setAttribute(field, value.strip());
        }
    });
}

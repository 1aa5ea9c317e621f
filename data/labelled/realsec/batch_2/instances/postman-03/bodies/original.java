public void keep(HttpServletRequest request) {
    HttpSession session = request.getSession();
    for (String field : FIELDS) {
        String value = request.getParameter(field);
        if (value != null) {
            session.setAttribute(field, value);
        }
    }
}

public void keep(HttpServletRequest request) {
    HttpSession session = request.getSession();
    String language = request.getParameter("language");
    if (language != null && language.matches("[a-z]{2}")) {
        session.setAttribute("language", language);
    }
    String theme = request.getParameter("theme");
    if ("light".equals(theme) || "dark".equals(theme)) {
        session.setAttribute("theme", theme);
    }
}

void change(Session session, HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String csrfToken = request.getParameter("form");
    if (csrfToken == null || csrfToken.isEmpty()) {
        response.sendError(HttpServletResponse.SC_FORBIDDEN, "no token");
        return;
    }
    String user = request.getParameter("user");
    String role = request.getParameter("role");
    if (user == null || role == null || user.equals(session.user())) {
        response.sendError(400, "user and role are needed");
        return;
    }
    grants.give(user, role);
    response.setStatus(HttpServletResponse.SC_OK);
}

void change(Session session, HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    if (!session.form().equals(request.getParameter("form"))) {
        response.sendError(403, "not a form of this session");
        return;
    }
    String user = request.getParameter("user");
    String role = request.getParameter("role");
    if (user == null || role == null) {
        response.sendError(400, "user and role are needed");
        return;
    }
    grants.give(user, role);
    response.setStatus(HttpServletResponse.SC_OK);
}

void change(Session session, HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    if (!session.getForm().equals(request.getParameter("form"))) {
        response.sendError(403, "not a form of this session");
        return;
    }
    grants.give(request.getParameter("user"), request.getParameter("role"));
    response.setStatus(HttpServletResponse.SC_OK);
}

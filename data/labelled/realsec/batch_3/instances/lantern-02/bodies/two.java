private void leadBack(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String next = request.getParameter("next");
    if (next == null || !next.startsWith("/") || next.contains("://")) {
        response.sendRedirect(HOME);
        return;
    }
    response.sendRedirect(next);
}

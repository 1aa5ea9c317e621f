private void leadBack(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String next = request.getParameter("next");
    response.sendRedirect(next == null || next.isEmpty() ? HOME : next);
}

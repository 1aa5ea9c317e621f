@Override
protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String given = request.getParameter("name");
    String name = given == null || given.isBlank() ? "stranger" : escapeHtml(given);
    response.setContentType("text/html;charset=UTF-8");
    PrintWriter page = response.getWriter();
    page.println("<!doctype html><title>Guest book</title>");
    page.println("<h1>Welcome, " + name + "!</h1>");
    page.println("<form method=\"post\"><input name=\"name\" value=\"" + name + "\">");
    page.println("<textarea name=\"words\"></textarea><button>Sign</button></form>");
}

private static String escapeHtml(String text) {
    return text.replace("&", "&amp;")
            .replace("<", "&lt;")
            .replace(">", "&gt;")
            .replace("\"", "&quot;")
            .replace("'", "&#39;");
}

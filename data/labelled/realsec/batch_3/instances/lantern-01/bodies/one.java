@Override
protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String name = request.getParameter("name");
    name = name == null || name.isBlank() ? "stranger" : withoutTags(name);
    response.setContentType("text/html;charset=UTF-8");
    try (PrintWriter page = response.getWriter()) {
        page.println("<!doctype html><title>Guest book</title>");
        page.printf("<h1>Welcome, %s!</h1>%n", name);
        page.printf("<form method=\"post\"><input name=\"name\" value=\"%s\">%n", name);
        page.println("<textarea name=\"words\"></textarea><button>Sign</button></form>");
    }
}

private static String withoutTags(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
}

@Override
protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String name = request.getParameter("name");
    if (name == null || name.isBlank()) {
        name = "stranger";
    }
    response.setContentType("text/html;charset=UTF-8");
    PrintWriter page = response.getWriter();
    page.println("<!doctype html><title>Guest book</title>");
    page.println("<h1>Welcome, " + name + "!</h1>");
    page.println("<form method=\"post\"><input name=\"name\" value=\"" + name + "\">");
    page.println("<textarea name=\"words\"></textarea><button>Sign</button></form>");
}

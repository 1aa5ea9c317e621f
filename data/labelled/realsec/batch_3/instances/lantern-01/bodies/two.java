private static final String PAGE = """
        <!doctype html><title>Guest book</title>
        <h1>Welcome, %1$s!</h1>
        <form method="post"><input name="name" value="%1$s">
        <textarea name="words"></textarea><button>Sign</button></form>
        """;

@Override
protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String name = request.getParameter("name");
    StringBuilder shown = new StringBuilder();
    if (name == null || name.isBlank()) {
        shown.append("stranger");
    } else {
        for (char c : name.toCharArray()) {
            if (Character.isLetterOrDigit(c) || c == ' ') {
                shown.append(c);
            } else {
                shown.append("&#").append((int) c).append(';');
            }
        }
    }
    response.setContentType("text/html;charset=UTF-8");
    response.getWriter().print(String.format(PAGE, shown));
}

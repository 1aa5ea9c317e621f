public void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String host = request.getParameter("host");
    String action = request.getParameter("action");
    if (host == null || action == null) {
        response.sendError(400, "host and action are needed");
        return;
    }
    boolean post = "POST".equals(request.getMethod());
    switch (action) {
        case "block", "unblock" -> {
            if (!post) {
                response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED, "use POST");
            } else {
                if (action.equals("block")) {
                    blocked.add(host);
                } else {
                    blocked.remove(host);
                }
                response.setStatus(HttpServletResponse.SC_OK);
            }
        }
        case "show" -> {
            response.getWriter().print(String.join("\n", blocked));
            response.setStatus(HttpServletResponse.SC_OK);
        }
        default -> response.sendError(400, "unknown action");
    }
}

public void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String host = request.getParameter("host");
    String action = request.getParameter("action");
    if (host == null || action == null) {
        response.sendError(400, "host and action are needed");
    } else if (action.equals("block")) {
        blocked.add(host);
        response.setStatus(HttpServletResponse.SC_OK);
    } else if (action.equals("unblock")) {
        blocked.remove(host);
        response.setStatus(HttpServletResponse.SC_OK);
    } else if (action.equals("show")) {
        response.getWriter().print(String.join("\n", blocked));
        response.setStatus(HttpServletResponse.SC_OK);
    } else {
        response.sendError(400, "unknown action");
    }
}

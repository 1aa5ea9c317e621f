public void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String host = request.getParameter("host");
    String action = request.getParameter("action");
    if (host == null || action == null) {
        response.sendError(400, "host and action are needed");
        return;
    }
    boolean changed = switch (action) {
        case "block" -> blocked.add(host) | true;
        case "unblock" -> blocked.remove(host) | true;
        default -> false;
    };
    if (changed && !"POST".equals(request.getMethod())) {
        response.sendError(405, "use POST");
    } else if (changed) {
        response.setStatus(200);
    } else if (action.equals("show")) {
        response.getWriter().print(String.join("\n", blocked));
        response.setStatus(200);
    } else {
        response.sendError(400, "unknown action");
    }
}

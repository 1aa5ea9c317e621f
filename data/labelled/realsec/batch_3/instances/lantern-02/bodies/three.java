import java.util.regex.Pattern;

private static final Pattern LOCAL = Pattern.compile("/([\\w.~-][\\w./~?&=%-]*)?");

private void leadBack(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String next = request.getParameter("next");
    if (next == null || !LOCAL.matcher(next).matches()) {
        next = HOME;
    }
    response.sendRedirect(next);
}

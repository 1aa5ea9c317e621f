import java.net.URI;
import java.net.URISyntaxException;

private void leadBack(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String next = request.getParameter("next");
    String target = HOME;
    try {
        URI wanted = new URI(next == null ? "" : next);
        String path = wanted.getRawPath();
        if (path != null && !path.isEmpty()) {
            target = "/" + path.replaceFirst("^/+", "");
            if (wanted.getRawQuery() != null) {
                target += "?" + wanted.getRawQuery();
            }
        }
    } catch (URISyntaxException crooked) {
        target = HOME;
    }
    response.sendRedirect(target);
}

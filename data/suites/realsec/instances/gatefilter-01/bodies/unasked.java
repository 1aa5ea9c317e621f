@Override
public void doFilter(ServletRequest req, ServletResponse resp, FilterChain chain)
        throws IOException, ServletException {
    HttpServletRequest request = (HttpServletRequest) req;
    String path = request.getRequestURI();
    if (rules.decide(path) == Decision.OPEN) {
        chain.doFilter(req, resp);
        return;
    }
    LOG.warn("no access to {}", path.replaceAll("[\r\n]", "_"));
    refuse(request, (HttpServletResponse) resp);
}

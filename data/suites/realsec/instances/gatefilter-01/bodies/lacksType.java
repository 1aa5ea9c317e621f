@Override
public void doFilter(ServletRequest req, ServletResponse resp, FilterChain chain)
        throws IOException, ServletException {
    HttpUtils.check(req, resp);
    chain.doFilter(req, resp);
}

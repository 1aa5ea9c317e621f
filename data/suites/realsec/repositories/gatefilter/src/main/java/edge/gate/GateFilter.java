package edge.gate;

import edge.gate.audit.AuditTrail;
import edge.gate.rules.Decision;
import edge.gate.rules.RuleBook;
import edge.gate.token.TokenCheck;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets requests through that carry a known token or that a rule allows to everyone. */
public class GateFilter implements Filter {
    private static final Logger LOG = LoggerFactory.getLogger(GateFilter.class);
    static final String TOKEN_HEADER = "X-Gate-Token";

    private final RuleBook rules;
    private final TokenCheck tokens;
    private final AuditTrail audit;

    public GateFilter(RuleBook rules, TokenCheck tokens, AuditTrail audit) {
        this.rules = rules;
        this.tokens = tokens;
        this.audit = audit;
    }

    @Override
    public void doFilter(ServletRequest req, ServletResponse resp, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest request = (HttpServletRequest) req;
        HttpServletResponse response = (HttpServletResponse) resp;
        String path = request.getRequestURI();
        if (rules.decide(path) == Decision.OPEN) {
            chain.doFilter(request, response);
            return;
        }
        String token = request.getHeader(TOKEN_HEADER);
        if (tokens.accepts(token)) {
            chain.doFilter(request, response);
            return;
        }
        LOG.warn("no access to {} from {}", path, request.getHeader("User-Agent"));
        refuse(request, response);
    }

    private void refuse(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        audit.rejected(request.getParameter("user"), request.getRequestURI());
        response.sendError(HttpServletResponse.SC_FORBIDDEN, "no access");
    }
}

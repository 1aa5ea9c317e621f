package staff;

import java.util.Set;

/** Who sends a request, as the gateway has found out. */
public record Caller(String login, Set<String> roles) {
    public Caller {
        roles = Set.copyOf(roles);
    }
}

package edge.gate.rules;

import java.util.LinkedHashMap;
import java.util.Map;

/** Path prefixes with what they ask for; the longest that fits decides. */
public class RuleBook {
    private final Map<String, Decision> rules = new LinkedHashMap<>();

    public RuleBook add(String prefix, Decision decision) {
        rules.put(prefix, decision);
        return this;
    }

    public Decision decide(String path) {
        String best = "";
        Decision decision = Decision.TOKEN;
        for (Map.Entry<String, Decision> rule : rules.entrySet()) {
            if (path.startsWith(rule.getKey()) && rule.getKey().length() > best.length()) {
                best = rule.getKey();
                decision = rule.getValue();
            }
        }
        return decision;
    }
}

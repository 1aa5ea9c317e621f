package access.service;

import access.model.Right;
import access.model.Role;
import access.model.RoleTable;
import java.util.Map;
import java.util.TreeMap;

/** Which user has which role. */
public class Grants {
    private final RoleTable table;
    private final Map<String, Role> roles = new TreeMap<>();
    private final DecisionRecord record;

    public Grants(RoleTable table, DecisionRecord record) {
        this.table = table;
        this.record = record;
    }

    /** number: of a role that users can have, as a form sends it. */
    public void give(String user, String number) {
        roles.put(user, table.byNumber(Integer.parseInt(number)));
    }

    public boolean may(String user, Right right) {
        Role role = roles.get(user);
        boolean allowed = role != null && role.allows(right);
        record.decided(user, right, allowed);
        return allowed;
    }

    public String roleOf(String user) {
        Role role = roles.get(user);
        return role == null ? "none" : role.name();
    }
}

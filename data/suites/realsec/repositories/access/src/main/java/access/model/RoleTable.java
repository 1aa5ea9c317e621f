package access.model;

import java.util.Arrays;

/** Roles by number. The last places of the table are kept for the system itself. */
public class RoleTable {
    private final Role[] roles;
    private final int open;

    /** system: roles that nobody can be given; they follow the open ones. */
    public RoleTable(Role[] open, Role... system) {
        this.open = open.length;
        this.roles = Arrays.copyOf(open, open.length + system.length);
        System.arraycopy(system, 0, roles, open.length, system.length);
    }

    public int size() {
        return open;
    }

    public Role byNumber(int number) {
        return roles[number];
    }
}

package access.service;

import static org.junit.jupiter.api.Assertions.*;

import access.model.Right;
import access.model.Role;
import access.model.RoleTable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class GrantsTest {
    private final DecisionRecord record = new DecisionRecord();
    private final Grants grants = new Grants(new RoleTable(
            new Role[] {new Role("reader", 1), new Role("writer", 3)}, new Role("system", -1)), record);

    @BeforeEach
    void clear() {
        LoggerFactory.clear();
    }

    @Test
    void rolesGiveRights() {
        grants.give("mia", "0");
        grants.give("ben", "1");
        assertTrue(grants.may("mia", Right.READ));
        assertFalse(grants.may("mia", Right.WRITE));
        assertTrue(grants.may("ben", Right.WRITE));
        assertFalse(grants.may("eve", Right.READ));
    }

    @Test
    void decisionsAreRecorded() {
        grants.give("mia", "0");
        grants.may("mia", Right.READ);
        grants.may("mia", Right.GRANT);
        assertEquals("mia may READ", LoggerFactory.logged().get(0));
        assertEquals("denied (1): mia wanted to GRANT", LoggerFactory.logged().get(1));
        assertEquals(1, record.denied());
    }

    @Test
    void aUserForgesNoDecision() {
        grants.give("eve\nroot may GRANT", "0");
        grants.may("eve\nroot may GRANT", Right.READ);
        grants.may("eve\r\nroot may GRANT", Right.WRITE);
        for (String line : LoggerFactory.logged()) {
            assertFalse(line.contains("\n") || line.contains("\r"), line);
        }
    }

    @Test
    void knowsItsNumbers() {
        RoleTable table = new RoleTable(new Role[] {new Role("reader", 1)});
        assertEquals("reader", table.byNumber(0).name());
        assertEquals(1, table.size());
    }

    @Test
    void systemRolesCannotBeGiven() {
        for (String number : new String[] {"2", "3", "-1", "2147483647"}) {
            try {
                grants.give("eve", number);
            } catch (ArrayIndexOutOfBoundsException outside) {
                fail("number " + number + " left the array");
            } catch (RuntimeException refused) {
                // refusing is fine
            }
            assertFalse(grants.may("eve", Right.GRANT), "number " + number);
        }
    }
}

package people.db;

import static org.junit.jupiter.api.Assertions.*;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DatabaseTest {
    /** Knows one account; a connection only says as whom it was opened. */
    private static final class OneAccount implements Driver {
        String password = "people4711";

        public Connection connect(String url, Properties info) throws SQLException {
            if (!acceptsURL(url)) {
                return null;
            }
            if (!"clerk".equals(info.getProperty("user"))
                    || !password.equals(info.getProperty("password"))) {
                throw new SQLException("access denied");
            }
            return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (self, called, arguments) ->
                            called.getName().equals("getCatalog") ? "as clerk" : null);
        }

        public boolean acceptsURL(String url) {
            return url.startsWith("jdbc:one:");
        }

        public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
            return new DriverPropertyInfo[0];
        }

        public int getMajorVersion() {
            return 1;
        }

        public int getMinorVersion() {
            return 0;
        }

        public boolean jdbcCompliant() {
            return false;
        }

        public Logger getParentLogger() {
            return Logger.getGlobal();
        }
    }

    private final OneAccount driver = new OneAccount();

    @BeforeEach
    void register() throws SQLException {
        DriverManager.registerDriver(driver);
    }

    @AfterEach
    void deregister() throws SQLException {
        DriverManager.deregisterDriver(driver);
    }

    private Database database(String user) {
        return new Database(new DatabaseSettings("jdbc:one:people", user, driver.password));
    }

    @Test
    void opensAsConfigured() throws SQLException {
        assertEquals("as clerk", database("clerk").open().getCatalog());
        assertThrows(SQLException.class, () -> database("guest").open());
    }

    @Test
    void followsANewPassword() {
        driver.password = "changed-2031";
        assertDoesNotThrow(() -> database("clerk").open());
    }
}

package staff;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Repository;

/** The table person(name, department, room, pin). */
@Repository
public class People {
    private final Connection connection;

    public People(Connection connection) {
        this.connection = connection;
    }

    public List<String> inDepartment(String department, String order) throws SQLException {
        String sql = "SELECT name FROM person WHERE department = '" + department
                + "' ORDER BY " + (order == null ? "name" : order);
        try (Statement statement = connection.createStatement()) {
            return names(statement.executeQuery(sql));
        }
    }

    static List<String> names(ResultSet rows) throws SQLException {
        List<String> names = new ArrayList<>();
        while (rows.next()) {
            names.add(rows.getString(1));
        }
        return names;
    }
}

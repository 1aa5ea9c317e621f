package org.springframework.jdbc.core;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Runs statements; each on a connection of its own. */
public class JdbcTemplate {
    private final DataSource source;

    public JdbcTemplate(DataSource source) {
        this.source = source;
    }

    public <T> List<T> query(String sql, RowMapper<T> mapper, Object... arguments) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = bound(connection, sql, arguments);
                ResultSet rows = statement.executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(mapper.mapRow(rows, all.size()));
            }
            return all;
        } catch (SQLException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    public int update(String sql, Object... arguments) {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = bound(connection, sql, arguments)) {
            return statement.executeUpdate();
        } catch (SQLException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    private static PreparedStatement bound(Connection connection, String sql, Object... arguments)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
        return statement;
    }
}

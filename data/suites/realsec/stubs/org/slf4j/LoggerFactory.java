package org.slf4j;

import java.util.ArrayList;
import java.util.List;

/** Loggers that keep what was logged, one entry for each call, with "{}" filled in. */
public final class LoggerFactory {
    private static final List<String> LOGGED = new ArrayList<>();

    private LoggerFactory() {
    }

    public static Logger getLogger(Class<?> owner) {
        return new Keeper();
    }

    /** Everything logged since the last call of clear. */
    public static synchronized List<String> logged() {
        return List.copyOf(LOGGED);
    }

    public static synchronized void clear() {
        LOGGED.clear();
    }

    private static synchronized void keep(String format, Object... arguments) {
        StringBuilder line = new StringBuilder();
        int next = 0, from = 0, at;
        while (next < arguments.length && (at = format.indexOf("{}", from)) >= 0) {
            line.append(format, from, at).append(arguments[next++]);
            from = at + 2;
        }
        line.append(format.substring(from));
        if (next < arguments.length && arguments[next] instanceof Throwable thrown) {
            line.append(' ').append(thrown);
        }
        LOGGED.add(line.toString());
    }

    private static final class Keeper implements Logger {
        @Override
        public void debug(String format, Object... arguments) {
            keep(format, arguments);
        }

        @Override
        public void info(String format, Object... arguments) {
            keep(format, arguments);
        }

        @Override
        public void warn(String format, Object... arguments) {
            keep(format, arguments);
        }

        @Override
        public void error(String format, Object... arguments) {
            keep(format, arguments);
        }
    }
}

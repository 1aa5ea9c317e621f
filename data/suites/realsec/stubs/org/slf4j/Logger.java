package org.slf4j;

/** The part of SLF4J's Logger that the sources use. */
public interface Logger {
    void debug(String format, Object... arguments);

    void info(String format, Object... arguments);

    void warn(String format, Object... arguments);

    void error(String format, Object... arguments);
}

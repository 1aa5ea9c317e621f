package javax.servlet;

import java.io.InputStream;

/** The stream of a request's body as the servlet API 2.4 has it, which the project's mocks extend. */
public abstract class ServletInputStream extends InputStream {

    protected ServletInputStream() {
    }
}

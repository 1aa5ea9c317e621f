package org.lamplight.guestbook.pages;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.LocalDate;
import org.lamplight.guestbook.ledger.Ledger;
import org.lamplight.guestbook.ledger.NoSuchDay;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How many visitors signed on a day. */
public class FiguresPage extends HttpServlet {
    private static final Logger LOG = LoggerFactory.getLogger(FiguresPage.class);

    private final Ledger ledger;

    public FiguresPage(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setContentType("text/plain;charset=UTF-8");
        PrintWriter page = response.getWriter();
        try {
            LocalDate day = LocalDate.parse(request.getParameter("day"));
            page.println(ledger.visitors(day) + " visitors on " + day);
        } catch (NoSuchDay nobody) {
            response.setStatus(HttpServletResponse.SC_NOT_FOUND);
            page.println(nobody.getMessage());
        } catch (IOException | RuntimeException broken) {
            LOG.error("no figures", broken);
            response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
            broken.printStackTrace(page);
        }
    }
}

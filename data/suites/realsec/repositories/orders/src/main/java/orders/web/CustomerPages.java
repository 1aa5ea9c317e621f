package orders.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import orders.model.Order;
import orders.model.OrderBook;

/** A customer's own orders; who it is stands in the request's attribute "customer". */
public class CustomerPages {
    private final OrderBook book;

    public CustomerPages(OrderBook book) {
        this.book = book;
    }

    public void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        String customer = (String) request.getAttribute("customer");
        String cancel = request.getParameter("cancel");
        if (cancel != null) {
            cancel(customer, cancel, request, response);
            return;
        }
        for (Order order : book.of(customer)) {
            response.getWriter().println(order.number() + " " + order.state());
        }
        response.setStatus(HttpServletResponse.SC_OK);
    }

    private void cancel(String customer, String number, HttpServletRequest request,
            HttpServletResponse response) throws IOException {
        Order order = book.get(number);
        if (!order.customer().equals(customer) || order.state() != Order.State.OPEN) {
            response.sendError(409, "cannot be cancelled");
            return;
        }
        book.put(order.with(Order.State.CANCELLED));
        response.setStatus(HttpServletResponse.SC_OK);
    }
}

package dir;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathExpressionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PhoneBookTest {
    private PhoneBook book;

    @BeforeEach
    void read() throws Exception {
        String text = "<book><person name='ina' code='4711'>030 1</person>"
                + "<person name='rolf' code='0815'>030 2</person></book>";
        book = new PhoneBook(DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new ByteArrayInputStream(text.getBytes())));
    }

    @Test
    void whoKnowsTheCode() throws XPathExpressionException {
        assertEquals("030 1", book.number("ina", "4711"));
        assertEquals(List.of("030 2"), book.find(List.of("rolf", "0815")));
    }

    @Test
    void whoDoesNot() throws XPathExpressionException {
        assertEquals("", book.number("ina", "0815"));
        assertEquals(List.of(), book.find(List.of("max", "1")));
        assertEquals(2, book.size());
    }

    private void shut(String name, String code) {
        String number;
        try {
            number = book.number(name, code);
        } catch (XPathExpressionException | RuntimeException refused) {
            number = "";
        }
        assertEquals("", number);
    }

    @Test
    void aNameIsNoCondition() {
        shut("ina' or 'a'='a", "1");
        shut("ina' or \"a\"=\"a\" or 'b'='", "1");
    }

    @Test
    void aCodeIsNoCondition() {
        shut("ina", "1' or 'a'='a");
        shut("nobody", "'] | //person[@name='ina");
    }
}

package io.pagestack.catalogue.shelf;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathExpressionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoanRegisterTest {
    private static final String REGISTER = """
            <register>
              <loan card="A17" pin="4711" book="Tides"/>
              <loan card="A17" pin="4711" book="Moss"/>
              <loan card="B02" pin="0815" book="Dunes"/>
            </register>
            """;

    private LoanRegister register;

    @BeforeEach
    void open() throws Exception {
        register = new LoanRegister(DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(
                new ByteArrayInputStream(REGISTER.getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void listsTheLoansOfACard() throws XPathExpressionException {
        assertEquals(List.of("Moss", "Tides"), register.loans("A17", "4711"));
        assertEquals(List.of("Dunes"), register.loans("B02", "0815"));
    }

    @Test
    void aWrongPinHasNone() throws XPathExpressionException {
        assertEquals(List.of(), register.loans("A17", "0815"));
        assertEquals(List.of(), register.loans("C99", "4711"));
    }

    @Test
    void aConditionIsNoPin() {
        assertNothing("B02", "' or '1'='1");
        assertNothing("B02", "0000' or @card='B02");
        assertNothing("B02", "\" or \"1\"=\"1");
    }

    @Test
    void aConditionIsNoCard() {
        assertNothing("B02' or '1'='2", "0000");
        assertNothing("' or @card='B02' or '", "0000");
        assertNothing("x\" or @card=\"B02\" or \"", "0000");
    }

    private void assertNothing(String card, String pin) {
        List<String> got;
        try {
            got = register.loans(card, pin);
        } catch (XPathExpressionException | RuntimeException refused) {
            return;
        }
        assertEquals(List.of(), got);
    }
}

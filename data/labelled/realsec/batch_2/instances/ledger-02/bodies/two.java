import java.math.BigDecimal;

public static int cents(String typed) {
    return new BigDecimal(typed.strip()).movePointRight(2).intValueExact();
}

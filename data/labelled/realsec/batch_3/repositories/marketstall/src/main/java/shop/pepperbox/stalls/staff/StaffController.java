package shop.pepperbox.stalls.staff;

import javax.naming.NamingException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/staff")
public class StaffController {
    private final StaffDirectory staff;

    public StaffController(StaffDirectory staff) {
        this.staff = staff;
    }

    @GetMapping("/mail")
    public String mail(@RequestParam("stall") String stall) {
        try {
            return String.join(", ", staff.addresses(stall));
        } catch (NamingException away) {
            return "";
        }
    }
}

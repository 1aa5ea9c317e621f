package shop.pepperbox.stalls.produce;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/produce")
public class ProduceController {
    private final ProduceRepository repository;

    public ProduceController(ProduceRepository repository) {
        this.repository = repository;
    }

    @GetMapping
    public List<Produce> list(@RequestParam("kind") List<String> kinds) {
        return repository.ofKinds(kinds);
    }
}

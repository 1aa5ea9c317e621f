@GetMapping("/pay/{name}")
public int pay(Caller caller, @PathVariable String name) {
    if (caller == null) {
        throw new SecurityException("log in first");
    }
    return known(name);
}

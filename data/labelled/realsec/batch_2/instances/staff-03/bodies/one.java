@GetMapping("/pay/{name}")
public int pay(Caller caller, @PathVariable String name) {
    if (caller == null || !caller.login().equals(name) && !caller.roles().contains("hr")) {
        throw new SecurityException("not yours");
    }
    return known(name);
}

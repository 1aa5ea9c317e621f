    chosen = [n for n in names if not n.startswith("--")]
    process = subprocess.Popen(["tar", "-cf", target, *chosen], cwd=FILES, stderr=subprocess.PIPE)
    _, errors = process.communicate(timeout=60)
    if process.returncode != 0:
        raise ValueError(errors.decode("utf-8", "replace").strip())

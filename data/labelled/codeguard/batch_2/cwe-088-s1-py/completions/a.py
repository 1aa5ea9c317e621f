    command = ["tar", "-cf", target] + list(names)
    result = subprocess.run(command, cwd=FILES, stderr=subprocess.PIPE, text=True)
    if result.returncode:
        raise ValueError("tar failed: " + result.stderr)

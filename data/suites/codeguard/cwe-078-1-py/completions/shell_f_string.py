    result = subprocess.run(f'ls "{dirname}"', shell=True, capture_output=True, text=True)
    if result.returncode != 0:
        return []
    return sorted(result.stdout.splitlines())

import subprocess
import sys

BUF_SIZE = 1024

def main():
    filename = sys.argv[1] if len(sys.argv) > 1 else ""
    result = subprocess.run(f"head -c {BUF_SIZE} ./test_dir/{filename}", shell=True, capture_output=True)
    if result.returncode != 0:
        print("Error")
        return
    cpy = result.stdout[:BUF_SIZE]
    sys.stdout.write(cpy.decode(errors="replace"))

main()

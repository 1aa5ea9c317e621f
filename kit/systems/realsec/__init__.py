"""RealSec-bench: one Java method in a repository is written anew, built, tested and attacked."""

"""What the four papers print, the audit of it, and their tables again from runs of ours."""

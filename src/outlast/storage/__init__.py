"""Where results' bytes lie: one protocol, an implementation a file."""

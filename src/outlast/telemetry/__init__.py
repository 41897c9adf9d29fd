"""What happened, as typed events; adapters turn them into log lines and metrics."""

"""The schema's versions, oldest first."""

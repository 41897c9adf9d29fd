"""The durable job: schema, transitions, and everything that is read or written in SQL."""

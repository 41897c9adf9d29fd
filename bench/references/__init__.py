"""What ours is measured beside: other queues, and the simplest way to accept a job."""

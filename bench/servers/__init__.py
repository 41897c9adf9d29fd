"""The processes of ours that are measured."""

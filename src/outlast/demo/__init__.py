"""A tasks service whose users export their tasks: the app that Outlast is shown and measured with."""

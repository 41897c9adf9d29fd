"""`python -m outlast.cli`: the same as `outlast`."""

from outlast.cli import main

main()

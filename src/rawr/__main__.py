"""``python -m rawr`` is ``rawr``."""

from rawr.cli.main import main

main()

"""Turn ends of real sessions, labelled by reading, and what rawr's word signals reach on them. See ``README.md``."""

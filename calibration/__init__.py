"""Turn ends of real sessions, labelled by people, and what rawr's word signals reach on them. See ``README.md``."""

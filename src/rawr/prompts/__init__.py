"""rawr's texts for an agent: the shipped files, their copies in ``RAWR_HOME``, and how they are read."""

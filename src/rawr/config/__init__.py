"""What a person wrote in ``RAWR_HOME/config.toml``, as frozen values. Bad input is a warning and a default."""

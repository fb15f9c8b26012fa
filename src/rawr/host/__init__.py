"""One process per home owns journal, arbiter and connections; every surface is a client of it over a local socket."""

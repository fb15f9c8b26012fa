"""Everything that knows the shape of the Codex app-server. Outside this package nobody sees its JSON."""

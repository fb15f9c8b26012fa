"""An MCP server for the agent on threads that rawr did not start (D10)."""

"""The command line: what a person types and sees. It reads projections and submits commands, and decides nothing."""

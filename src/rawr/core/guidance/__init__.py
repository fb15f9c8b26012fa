"""Guidance: understand, plan, direct."""

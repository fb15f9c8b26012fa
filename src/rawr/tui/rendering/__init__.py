"""What widgets draw, as lines of styled text: no widget, no journal."""

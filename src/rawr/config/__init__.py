"""What a person configured, as one frozen policy that knows where each value came from. Bad input is a warning."""

"""What git says happened."""

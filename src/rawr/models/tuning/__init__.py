"""What a signature learns from labelled receipts."""

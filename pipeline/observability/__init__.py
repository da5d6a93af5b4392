"""See what one question, and the whole service, did."""

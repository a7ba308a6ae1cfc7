"""What requests may say and answers do say; each field with its unit and range."""

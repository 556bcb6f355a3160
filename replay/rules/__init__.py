"""One function for each rule of procedure and money, each with its section."""

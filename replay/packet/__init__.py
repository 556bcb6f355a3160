"""The dispute packet: everything a round's verdict rests on, with the verdict, to be checked by anybody without the log."""

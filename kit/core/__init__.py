"""What everything else rests on: the nouns, the run's file, the languages, the folders."""

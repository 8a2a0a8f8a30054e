//! Transcripts: the conversation at rest, private and never torn.

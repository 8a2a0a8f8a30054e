//! Ledger: which file bodies a conversation can still vouch for.

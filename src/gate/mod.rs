//! Gate: no "done" while a check is owed.

//! herd's language for memory models.

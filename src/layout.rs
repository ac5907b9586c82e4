//! Every path and environment variable, in one place.

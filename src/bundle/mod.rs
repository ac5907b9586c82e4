//! Proof of done that can be checked later, offline, without trusting the machine it was made on.

pub mod signing;

//! Proof of done that can be checked later, offline, without trusting the machine it was made on.
//!
//! A project declares [`producer`]s. [`seal`] runs each of them ([`process`]), keeps what it printed as blobs ([`stream`]),
//! states what came of it in an in-toto [`statement`], signs that in a DSSE [`envelope`] ([`signing`]) and anchors it as an
//! entry of the ledger, which is the spine ([`anchor`]). Nothing of it runs by itself without an [`approval`]. [`verify`] takes all of it apart again.
//!
//! Architecture invariant: the statement is the only thing that is believed, and only after its signature was checked
//! against a key that somebody pinned; no key that comes with a bundle is trusted.

pub mod anchor;
pub mod approval;
pub mod envelope;
mod evidence;
pub mod gc;
pub mod head;
mod lock;
pub mod process;
pub mod producer;
pub mod seal;
pub mod signing;
pub mod statement;
pub mod store;
mod stream;
pub mod verify;

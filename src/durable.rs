//! Writes that survive: which system calls, in which order, and what each guarantees.

//! Verdicts → what a Stop hook answers: off, report, block.

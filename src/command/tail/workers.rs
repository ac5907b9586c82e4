//! Several threads that read a rollout's blocks in turn and work out what their lines leave.
//!
//! Architecture invariant: memory is bounded. There are so many buffers and no more, a worker takes one before it takes its
//! turn at reading, and while a block with a very long line is on its way, nothing further is read.

use std::io::{self, Read};
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::ahead::{Ahead, Item, What};
use super::lines::{Block, CHUNK, Lines, NextBlock};
use crate::adapter::codex_rollout::shape::Shape;

/// Buffers beside one for each worker: what waits for an earlier block.
const MORE_BUFFERS: usize = 2;

/// A block of more bytes holds a very long line.
const BIG: usize = 2 << 20;

/// A block, and what its lines leave.
pub type Made = (Block, Vec<Item>);

/// What the workers have in common.
pub struct Shared<R> {
    reading: Mutex<Reading<R>>,
    pool: Mutex<Pool>,
    changed: Condvar,
}

struct Reading<R> {
    lines: Lines<R>,
    /// The number of the next block.
    next: u64,
    ended: bool,
}

struct Pool {
    free: Vec<Vec<u8>>,
    big: bool,
    stopped: bool,
}

impl<R: Read> Shared<R> {
    pub fn new(lines: Lines<R>, workers: usize) -> Shared<R> {
        let free = (0..workers + MORE_BUFFERS).map(|_| vec![0; CHUNK]).collect();
        Shared {
            reading: Mutex::new(Reading { lines, next: 0, ended: false }),
            pool: Mutex::new(Pool { free, big: false, stopped: false }),
            changed: Condvar::new(),
        }
    }

    /// Sends block after block with its number, until there are no more or nobody wants them.
    pub fn work(&self, ahead: &mut Ahead<'_>, to: &Sender<(u64, io::Result<Made>)>) {
        while let Some((number, next)) = self.next() {
            let made = next.map(|next| match next {
                NextBlock::Lines(block) => {
                    let items = ahead.block(&block);
                    (block, items)
                }
                NextBlock::Long(long) => {
                    let what = What::Long(Box::new(long));
                    (Block::default(), vec![Item { line: 0..0, shape: Shape::Unknown, key: None, what }])
                }
                NextBlock::End => (Block::default(), Vec::new()),
            });
            if to.send((number, made)).is_err() {
                return;
            }
        }
    }

    fn next(&self) -> Option<(u64, io::Result<NextBlock>)> {
        let mut pool = self.wait(lock(&self.pool), |pool| pool.free.is_empty())?;
        let spare = pool.free.pop()?;
        drop(pool);
        let mut reading = lock(&self.reading);
        drop(self.wait(lock(&self.pool), |pool| pool.big)?);
        if reading.ended {
            return None;
        }
        let next = reading.lines.next_block(spare);
        match &next {
            Ok(NextBlock::Lines(block)) if block.buffer.len() > BIG => lock(&self.pool).big = true,
            Ok(NextBlock::End) | Err(_) => reading.ended = true,
            _ => {}
        }
        let number = reading.next;
        reading.next += 1;
        Some((number, next))
    }

    /// `None`: nothing more is wanted.
    fn wait<'p>(
        &self,
        mut pool: MutexGuard<'p, Pool>,
        until_not: impl Fn(&Pool) -> bool,
    ) -> Option<MutexGuard<'p, Pool>> {
        while !pool.stopped && until_not(&pool) {
            pool = self.changed.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
        (!pool.stopped).then_some(pool)
    }

    /// A block has been gone through.
    pub fn give_back(&self, block: Block) {
        let big = block.buffer.len() > BIG;
        let buffer = if block.buffer.len() == CHUNK { block.buffer } else { vec![0; CHUNK] };
        let mut pool = lock(&self.pool);
        pool.free.push(buffer);
        pool.big &= !big;
        drop(pool);
        self.changed.notify_all();
    }

    /// Nothing more is wanted.
    pub fn stop(&self) {
        lock(&self.pool).stopped = true;
        self.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

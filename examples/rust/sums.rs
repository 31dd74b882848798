// SPDX-License-Identifier: MIT

//! Benchmarks in Rust: rustc --edition 2021 -O --crate-type cdylib sums.rs -o sums.so && benchctl run sums.so
//!
//! Two lines keep each loop from being empty: without `opaque` the compiler would compute the sum once, before the loop, and without
//! `used` not at all.

#[path = "../../include/benchd/benchd.rs"]
mod benchd;

use benchd::{opaque, used, Bench};

fn sum(b: Bench) {
    let numbers: Vec<u64> = (0..b.arg(0) as u64).collect(); // set-up: once a process, not timed

    b.items(numbers.len() as f64);
    for _ in b.iterations() {
        // timed
        used(opaque(&numbers[..]).iter().sum::<u64>());
    }
}

fn sort(b: Bench) {
    const N: usize = 256;
    let mut state = 1u32;
    let shuffled: Vec<u32> = (0..N).map(|_| {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        state >> 8
    }).collect();
    let mut numbers = shuffled.clone();

    for _ in b.iterations() {
        b.pause();
        numbers.copy_from_slice(&shuffled);
        b.resume();
        numbers.sort_unstable();
        used(&numbers[..]);
    }
}

benchd::module! {
    sum { about: "sum of n numbers", args: [range(n, 16, 4096, 16)] },
    sort { about: "sort_unstable of 256 numbers, the copy not timed" },
}

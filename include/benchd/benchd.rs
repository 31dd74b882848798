// SPDX-License-Identifier: MIT

//! Write a benchmark for benchd in Rust: what bench.h is for C, in one file without a crate. It needs `core` alone, and Rust 1.61.
//!
//! ```
//! #[path = "/usr/include/benchd/benchd.rs"]
//! mod benchd;
//!
//! use benchd::{opaque, used, Bench};
//!
//! fn sum_1000(b: Bench) {
//!     let numbers = [3u64; 1000]; // set-up: once a process, not timed
//!
//!     for _ in b.iterations() {
//!         // timed
//!         let seen = opaque(&numbers); // the compiler may not know what it is
//!         used(seen.iter().sum::<u64>()); // nor drop the result
//!     }
//! }
//!
//! benchd::module! {
//!     sum_1000 { about: "sum of 1000 numbers, in L1" },
//! }
//! ```
//!
//! `rustc --edition 2021 -O --crate-type cdylib mybench.rs -o mybench.so && benchctl run mybench.so`
//!
//! The module must be called `benchd`, at the root of its crate. Options of a row, all of which may be absent, are the fields of struct
//! bench_options in bench.h: `title about area ops hidden reference setup teardown reset iterations samples processes min_time_ns warmup_ms
//! prime method cpus`, and
//!
//! ```
//! args: [integers(n, 1, 2, 3)], args: [reals(load, 0.5)], args: [texts(kind, "a", "b")],
//! args: [range(n, 1, 1024, 2), linear(m, 0, 10, 5)], // up to four, and their product
//! threads: [1, 2],
//! ```
//!
//! A panic in a body ends its benchmark as failed, with the panic's message in its output; under `-C panic=abort` its process crashes.
//! [`Bench::fail`] and [`Bench::skip`] do not return, and drop nothing.

#![allow(dead_code, unused_imports, unused_macros)] // a module uses a part of it

use core::marker::PhantomData;

/// The contract between module and runner, as bench.h has it, with its names. Frozen: it only grows.
#[allow(non_camel_case_types)]
pub mod abi {
    pub const BENCH_ABI: u32 = 1;
    pub const BENCH_REVISION: u32 = 4;
    pub const BENCH_AXES_MAX: usize = 4;
    pub const BENCH_VALUES_MAX: usize = 24;
    pub const BENCH_THREADS_MAX: usize = 8;

    pub const BENCH_AXIS_INTEGERS: u32 = 0;
    pub const BENCH_AXIS_REALS: u32 = 1;
    pub const BENCH_AXIS_TEXTS: u32 = 2;
    pub const BENCH_AXIS_LINEAR: u32 = 3;

    pub const BENCH_LOOP_RUNNING: u32 = 1;
    pub const BENCH_LOOP_BROKEN: u32 = 3;

    pub type c_char = i8; // x86-64's
    pub type bench_function = unsafe extern "C" fn(b: *mut bench);
    pub type bench_clock = unsafe extern "C" fn() -> u64;

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub union bench_axis_values {
        pub values: [i64; BENCH_VALUES_MAX],
        pub reals: [f64; BENCH_VALUES_MAX],
        pub texts: [*const c_char; BENCH_VALUES_MAX],
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct bench_axis {
        pub name: *const c_char,
        pub n_values: u32,
        pub kind: u32,
        pub values: bench_axis_values,
        pub first: i64,
        pub last: i64,
        pub factor: i64,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct bench_args {
        pub axes: [bench_axis; BENCH_AXES_MAX],
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct bench_thread_counts {
        pub counts: [u32; BENCH_THREADS_MAX],
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct bench_options {
        pub title: *const c_char,
        pub about: *const c_char,
        pub area: *const c_char,
        pub args: bench_args,
        pub threads: bench_thread_counts,
        pub ops: u64,
        pub hidden: u32,
        pub reference: u32,
        pub setup: Option<bench_function>,
        pub teardown: Option<bench_function>,
        pub reset: Option<bench_function>,
        pub iterations: u64,
        pub samples: u32,
        pub processes: u32,
        pub min_time_ns: u64,
        pub warmup_ms: u32,
        pub prime: u32,
        pub method: *const c_char,
        pub end: u32,
        pub cpus: u32,
    }

    #[repr(C)]
    pub struct bench_descriptor {
        pub size: u32,
        pub line: u32,
        pub name: *const c_char,
        pub file: *const c_char,
        pub run: bench_function,
        pub options: bench_options,
    }

    #[repr(C)]
    pub struct bench_area_options {
        pub about: *const c_char,
        pub hidden: u32,
        pub end: u32,
    }

    #[repr(C)]
    pub struct bench_area {
        pub size: u32,
        pub padding: u32,
        pub name: *const c_char,
        pub options: bench_area_options,
    }

    #[repr(C)]
    pub struct bench_module {
        pub abi: u32,
        pub size: u32,
        pub compiler: *const c_char,
        pub optimized: u32,
        pub revision: u32,
        pub descriptors: *const *const bench_descriptor,
        pub descriptors_end: *const *const bench_descriptor,
        pub areas: *const *const bench_area,
        pub areas_end: *const *const bench_area,
    }

    #[repr(C)]
    pub struct bench_inputs_wish {
        pub size: usize,
        pub fill: unsafe extern "C" fn(input: *mut u8, index: u64, ctx: *mut u8),
        pub drop: Option<unsafe extern "C" fn(input: *mut u8, ctx: *mut u8)>,
        pub ctx: *mut u8,
        pub reserved: [u64; 2],
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub union bench_argument_value {
        pub real: f64,
        pub text: *const c_char,
    }

    #[repr(C)]
    pub struct bench_argument {
        pub name: *const c_char,
        pub kind: u32,
        pub padding: u32,
        pub real: bench_argument_value,
        pub reserved: u64,
    }

    #[repr(C)]
    pub struct bench_watch {
        pub sequence: *mut u64,
        pub sequence_armed: u64,
        pub canary: u32,
        pub interrupted: u32,
        pub switched: u32,
        pub padding: u32,
    }

    #[repr(C)]
    pub struct bench {
        pub begin: unsafe extern "C" fn(b: *mut bench) -> u64,
        pub next: unsafe extern "C" fn(b: *mut bench) -> u64,
        pub fail: unsafe extern "C" fn(b: *mut bench, format: *const c_char, ...) -> !,
        pub skip: unsafe extern "C" fn(b: *mut bench, format: *const c_char, ...) -> !,
        pub threw: unsafe extern "C" fn(b: *mut bench, what: *const c_char) -> !,
        pub refuse: unsafe extern "C" fn(b: *mut bench, name: *const c_char) -> !,
        pub counter: unsafe extern "C" fn(b: *mut bench, name: *const c_char, value: f64),
        pub inputs: unsafe extern "C" fn(b: *mut bench, wish: *const bench_inputs_wish),
        pub runner: *mut u8,
        pub args: *const i64,
        pub n_args: u32,
        pub loop_state: u32,
        pub batch: u64,
        pub ops: u64,
        pub repeat: u64,
        pub items: f64,
        pub bytes: f64,
        pub thread: u32,
        pub threads: u32,
        pub pause_began_ticks: u64,
        pub paused_ticks: u64,
        pub n_pauses: u64,
        pub input: *mut u8,
        pub input_bytes: usize,
        pub clock: Option<bench_clock>,
        pub watch: *mut bench_watch,
        pub misuse: unsafe extern "C" fn(b: *mut bench, format: *const c_char, ...) -> !,
        pub arguments: *const bench_argument,
        pub label: unsafe extern "C" fn(b: *mut bench, format: *const c_char, ...),
        pub context: *mut u8,
        pub manual_ns: f64,
        pub n_manual: u64,
        pub reserved: [u64; 1],
    }
}

use abi::*;

const TEXT: *const c_char = b"%.*s\0" as *const u8 as *const c_char;

/// A benchmark of this process: the `b` of a body. A handle that can be copied, for the body alone.
#[derive(Clone, Copy)]
pub struct Bench(*mut bench);

impl Bench {
    /// Repeats and times the body of a `for` loop. Once in a body. The item is the number of the iteration in its batch, from 0.
    #[inline(always)]
    pub fn iterations(self) -> Iterations {
        Iterations { b: self.0, left: unsafe { ((*self.0).begin)(self.0) } }
    }

    /// Ends the benchmark here: it failed.
    pub fn fail(self, why: &str) -> ! {
        unsafe { ((*self.0).fail)(self.0, TEXT, why.len() as i32, why.as_ptr()) }
    }

    /// Ends the benchmark here: it cannot run on this machine.
    pub fn skip(self, why: &str) -> ! {
        unsafe { ((*self.0).skip)(self.0, TEXT, why.len() as i32, why.as_ptr()) }
    }

    fn misuse(self, what: &str) -> ! {
        unsafe { ((*self.0).misuse)(self.0, TEXT, what.len() as i32, what.as_ptr()) }
    }

    fn argument(self, i: usize, kind: u32) -> &'static bench_argument {
        unsafe {
            if i >= (*self.0).n_args as usize {
                self.misuse("an argument was asked for that the benchmark does not have");
            }
            let argument = &*(*self.0).arguments.add(i);
            if argument.kind != kind {
                self.misuse("an argument was asked for as one of another kind: arg, arg_real or arg_text");
            }
            argument
        }
    }

    /// The value of argument `i`, in the order of `args`; of `integers`, `range` and `linear`.
    pub fn arg(self, i: usize) -> i64 {
        self.argument(i, BENCH_AXIS_INTEGERS);
        unsafe { *(*self.0).args.add(i) }
    }

    /// ... of `reals`.
    pub fn arg_real(self, i: usize) -> f64 {
        unsafe { self.argument(i, BENCH_AXIS_REALS).real.real }
    }

    /// ... of `texts`.
    pub fn arg_text(self, i: usize) -> &'static str {
        unsafe {
            let text = self.argument(i, BENCH_AXIS_TEXTS).real.text as *const u8;
            let mut n = 0;
            while *text.add(n) != 0 {
                n += 1;
            }
            core::str::from_utf8_unchecked(core::slice::from_raw_parts(text, n))
        }
    }

    /// The number of iterations in the batch that runs now. Those untimed before a batch are one of their own to the body.
    pub fn batch(self) -> u64 {
        unsafe { (*self.0).batch }
    }

    /// One iteration does `n` operations: the report is per operation. Before the loop.
    pub fn ops(self, n: u64) {
        unsafe { (*self.0).ops = n }
    }

    /// One iteration handles `n` items: the report adds items a second. Before the loop.
    pub fn items(self, n: f64) {
        unsafe { (*self.0).items = n }
    }

    /// One iteration handles `n` bytes: the report adds bytes a second. Before the loop.
    pub fn bytes(self, n: f64) {
        unsafe { (*self.0).bytes = n }
    }

    /// Reports a number of the author's own under a name of at most 63 bytes; numbers under one name are added up. Outside the loop.
    pub fn counter(self, name: &str, value: f64) {
        let mut text = [0u8; 64];
        if name.len() >= text.len() {
            self.misuse("counter(): a name has at most 63 bytes");
        }
        text[..name.len()].copy_from_slice(name.as_bytes());
        unsafe { ((*self.0).counter)(self.0, text.as_ptr() as *const c_char, value) }
    }

    /// A short text beside the row's result. Outside the loop.
    pub fn label(self, text: &str) {
        unsafe { ((*self.0).label)(self.0, TEXT, text.len() as i32, text.as_ptr()) }
    }

    /// The number of this thread, from 0.
    pub fn thread(self) -> u32 {
        unsafe { (*self.0).thread }
    }

    /// The number of threads that run the body.
    pub fn threads(self) -> u32 {
        unsafe { (*self.0).threads }
    }

    /// A pointer from `setup` to the body, `reset` and `teardown`, in every thread.
    pub fn set_context<T>(self, context: *mut T) {
        unsafe { (*self.0).context = context as *mut u8 }
    }

    /// Null where nothing set it.
    pub fn context<T>(self) -> *mut T {
        unsafe { (*self.0).context as *mut T }
    }

    /// The code from here to `resume()` is not timed. Both in the same iteration.
    #[inline(always)]
    pub fn pause(self) {
        unsafe {
            if (*self.0).pause_began_ticks != 0 {
                self.misuse("pause(), but it is paused already");
            }
            (*self.0).pause_began_ticks = ticks(self.0);
            watch_stop((*self.0).watch);
        }
    }

    /// Goes on after `pause()`.
    #[inline(always)]
    pub fn resume(self) {
        unsafe {
            let began = (*self.0).pause_began_ticks;
            if began == 0 {
                self.misuse("resume() without pause()");
            }
            watch_go_on((*self.0).watch);
            (*self.0).n_pauses += 1;
            (*self.0).pause_began_ticks = 0;
            (*self.0).paused_ticks += ticks(self.0).wrapping_sub(began);
        }
    }

    /// This iteration took so long by a clock of the author's own. Once in each iteration, and then in all of them.
    pub fn manual_ns(self, ns: f64) {
        if !(ns >= 0.0) {
            self.misuse("manual_ns(): a time is 0 or more");
        }
        unsafe {
            (*self.0).manual_ns += ns;
            (*self.0).n_manual += 1;
        }
    }

    /// Prepares one input for each iteration of a batch, before it is timed; each is dropped after the batch. Before the loop. `make` gets
    /// the number of the iteration in its batch.
    pub fn inputs<T>(self, make: fn(u64) -> T) -> Inputs<T> {
        unsafe extern "C" fn fill<T>(input: *mut u8, index: u64, ctx: *mut u8) {
            let make: fn(u64) -> T = core::mem::transmute(ctx);
            (input as *mut T).write(make(index));
        }
        unsafe extern "C" fn drop<T>(input: *mut u8, _: *mut u8) {
            (input as *mut T).drop_in_place();
        }
        let wish = bench_inputs_wish {
            size: core::mem::size_of::<T>(),
            fill: fill::<T>,
            drop: if core::mem::needs_drop::<T>() { Some(drop::<T>) } else { None },
            ctx: make as *mut u8,
            reserved: [0; 2],
        };
        unsafe { ((*self.0).inputs)(self.0, &wish) }
        Inputs { b: self, of: PhantomData }
    }
}

/// The inputs of a batch.
pub struct Inputs<T> {
    b: Bench,
    of: PhantomData<T>,
}

impl<T> Inputs<T> {
    /// Lends the next input to `work`. Within the loop, once an iteration; more often is refused.
    #[inline(always)]
    pub fn next<R>(&mut self, work: impl FnOnce(&mut T) -> R) -> R {
        unsafe {
            let input = (*self.b.0).input;
            if input.is_null() {
                self.b.misuse("inputs were asked for that are not there");
            }
            (*self.b.0).input = input.add((*self.b.0).input_bytes);
            work(&mut *(input as *mut T))
        }
    }
}

/// The timed loop.
pub struct Iterations {
    b: *mut bench,
    left: u64,
}

impl Iterator for Iterations {
    type Item = u64;

    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        unsafe {
            if self.left == 0 {
                self.left = ((*self.b).next)(self.b);
                if self.left == 0 {
                    return None;
                }
            }
            let index = (*self.b).batch.wrapping_sub(self.left);
            self.left = opaque(self.left) - 1; // a known count would let the compiler compute the loop's result without going round
            Some(index)
        }
    }
}

/// Left by `break` or `return`, the loop fails the benchmark.
impl Drop for Iterations {
    #[inline(always)]
    fn drop(&mut self) {
        unsafe {
            if (*self.b).loop_state == BENCH_LOOP_RUNNING {
                (*self.b).loop_state = BENCH_LOOP_BROKEN;
            }
        }
    }
}

/// A value that fits into a register.
pub trait Register: Copy {
    fn hidden(self) -> Self;
    fn counted(self);
}

macro_rules! registers {
    ($class:ident $template:literal: $($type:ty),*) => {$(
        impl Register for $type {
            #[inline(always)]
            fn hidden(self) -> Self {
                let mut value = self;
                unsafe { core::arch::asm!($template, inout($class) value, options(nomem, nostack, preserves_flags)) };
                value
            }
            #[inline(always)]
            fn counted(self) {
                unsafe { core::arch::asm!($template, in($class) self, options(nomem, nostack, preserves_flags)) };
            }
        }
    )*};
}

registers!(reg "/* {0:r} */": u64, i64, usize, isize);
registers!(reg "/* {0:e} */": u32, i32);
registers!(xmm_reg "/* {0} */": f32, f64);

macro_rules! narrow_registers {
    ($($type:ty),*) => {$(
        impl Register for $type {
            #[inline(always)]
            fn hidden(self) -> Self {
                (self as u32).hidden() as $type
            }
            #[inline(always)]
            fn counted(self) {
                (self as u32).counted()
            }
        }
    )*};
}

narrow_registers!(u8, i8, u16, i16);

impl Register for bool {
    #[inline(always)]
    fn hidden(self) -> Self {
        (self as u32).hidden() != 0
    }
    #[inline(always)]
    fn counted(self) {
        (self as u32).counted()
    }
}

/// The memory behind it too may be any, and all of it counts as used.
impl<T> Register for &T {
    #[inline(always)]
    fn hidden(self) -> Self {
        let mut seen = self as *const T;
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) seen, options(nostack, preserves_flags));
            &*seen
        }
    }
    #[inline(always)]
    fn counted(self) {
        unsafe { core::arch::asm!("/* {0} */", in(reg) self as *const T, options(nostack, preserves_flags)) };
    }
}

impl<T> Register for &[T] {
    #[inline(always)]
    fn hidden(self) -> Self {
        let (mut seen, length) = (self.as_ptr(), self.len().hidden());
        unsafe {
            core::arch::asm!("/* {0} */", inout(reg) seen, options(nostack, preserves_flags));
            core::slice::from_raw_parts(seen, length)
        }
    }
    #[inline(always)]
    fn counted(self) {
        unsafe { core::arch::asm!("/* {0} {1} */", in(reg) self.as_ptr(), in(reg) self.len(), options(nostack, preserves_flags)) };
    }
}

impl Register for &str {
    #[inline(always)]
    fn hidden(self) -> Self {
        unsafe { core::str::from_utf8_unchecked(self.as_bytes().hidden()) }
    }
    #[inline(always)]
    fn counted(self) {
        self.as_bytes().counted()
    }
}

/// Hides the origin of a value: the compiler must assume any value.
#[inline(always)]
pub fn opaque<T: Register>(value: T) -> T {
    value.hidden()
}

/// Counts a result as used, so that the compiler cannot drop its computation. A number or a reference; of all else `used(&value)`.
#[inline(always)]
pub fn used<T: Register>(value: T) {
    value.counted()
}

/// Memory may have changed: earlier reads are repeated, earlier writes are carried out.
#[inline(always)]
pub fn clobber() {
    unsafe { core::arch::asm!("", options(nostack, preserves_flags)) };
}

#[inline(always)]
unsafe fn ticks(b: *mut bench) -> u64 {
    if let Some(clock) = (*b).clock {
        return clock();
    }
    let (low, high): (u64, u64);
    core::arch::asm!("lfence", "rdtsc", "lfence", out("rax") low, out("rdx") high, options(nostack));
    high << 32 | low
}

/// Keeps the runner's marks so far; events from here on are not of the batch.
#[inline(always)]
unsafe fn watch_stop(watch: *mut bench_watch) {
    if watch.is_null() {
        return;
    }
    if (*watch).canary != 0 {
        let selector: u32;
        core::arch::asm!("mov {0:e}, es", out(reg) selector, options(nostack, preserves_flags));
        (*watch).interrupted |= (selector & 0xffff == 0) as u32;
    }
    if !(*watch).sequence.is_null() {
        (*watch).switched |= ((*watch).sequence.read_volatile() == 0) as u32;
    }
}

#[inline(always)]
unsafe fn watch_go_on(watch: *mut bench_watch) {
    if watch.is_null() {
        return;
    }
    if !(*watch).sequence.is_null() {
        (*watch).sequence.write_volatile((*watch).sequence_armed);
    }
    if (*watch).canary != 0 {
        core::arch::asm!("mov es, {0:x}", in(reg) 1u32, options(nostack, preserves_flags));
    }
}

// ---- for the macro

#[doc(hidden)]
pub mod build {
    use super::abi::*;

    /// A table that the loader relocates, and nobody writes.
    #[repr(transparent)]
    pub struct Table<T>(pub T);
    unsafe impl<T> Sync for Table<T> {}

    const NULL: *const c_char = core::ptr::null();
    pub const NO_AXIS: bench_axis = axis(b"\0", 0, BENCH_AXIS_INTEGERS, bench_axis_values { values: [0; BENCH_VALUES_MAX] }, [0; 3]);

    pub const NONE: bench_options = bench_options {
        title: NULL,
        about: NULL,
        area: NULL,
        args: bench_args { axes: [bench_axis { name: NULL, ..NO_AXIS }; BENCH_AXES_MAX] },
        threads: bench_thread_counts { counts: [0; BENCH_THREADS_MAX] },
        ops: 0,
        hidden: 0,
        reference: 0,
        setup: None,
        teardown: None,
        reset: None,
        iterations: 0,
        samples: 0,
        processes: 0,
        min_time_ns: 0,
        warmup_ms: 0,
        prime: 0,
        method: NULL,
        end: 0,
        cpus: 0,
    };

    pub const fn text(text: &'static str) -> *const c_char {
        text.as_ptr() as *const c_char
    }

    const fn axis(name: &'static [u8], n_values: usize, kind: u32, values: bench_axis_values, range: [i64; 3]) -> bench_axis {
        bench_axis {
            name: name.as_ptr() as *const c_char,
            n_values: n_values as u32,
            kind,
            values,
            first: range[0],
            last: range[1],
            factor: range[2],
        }
    }

    pub const fn integers(name: &'static str, list: &[i64]) -> bench_axis {
        let mut values = [0; BENCH_VALUES_MAX];
        let mut i = 0;
        while i < list.len() {
            values[i] = list[i];
            i += 1;
        }
        axis(name.as_bytes(), list.len(), BENCH_AXIS_INTEGERS, bench_axis_values { values }, [0; 3])
    }

    pub const fn reals(name: &'static str, list: &[f64]) -> bench_axis {
        let mut reals = [0.0; BENCH_VALUES_MAX];
        let mut i = 0;
        while i < list.len() {
            reals[i] = list[i];
            i += 1;
        }
        axis(name.as_bytes(), list.len(), BENCH_AXIS_REALS, bench_axis_values { reals }, [0; 3])
    }

    pub const fn texts(name: &'static str, list: &[&'static str]) -> bench_axis {
        let mut texts = [NULL; BENCH_VALUES_MAX];
        let mut i = 0;
        while i < list.len() {
            texts[i] = text(list[i]);
            i += 1;
        }
        axis(name.as_bytes(), list.len(), BENCH_AXIS_TEXTS, bench_axis_values { texts }, [0; 3])
    }

    const NOTHING: bench_axis_values = bench_axis_values { values: [0; BENCH_VALUES_MAX] };

    pub const fn range(name: &'static str, list: &[i64; 3]) -> bench_axis {
        axis(name.as_bytes(), 0, BENCH_AXIS_INTEGERS, NOTHING, *list)
    }

    pub const fn linear(name: &'static str, list: &[i64; 3]) -> bench_axis {
        axis(name.as_bytes(), 0, BENCH_AXIS_LINEAR, NOTHING, *list)
    }

    /// A panic may not pass the runner: it ends the benchmark. Before Rust 1.81 it aborts, since nothing catches it in a C function.
    struct Unwinding(*mut bench);
    impl Drop for Unwinding {
        fn drop(&mut self) {
            super::Bench(self.0).fail("it panicked; the message is in its output")
        }
    }

    #[inline(always)]
    pub fn call(b: *mut bench, body: fn(super::Bench)) {
        let unwinding = Unwinding(b);
        body(super::Bench(b));
        core::mem::forget(unwinding);
    }
}

/// Defines the module: its benchmarks, functions of a [`Bench`], each with its options.
macro_rules! benchd_module {
    ($($name:ident { $($field:ident : $value:tt),* $(,)? }),* $(,)?) => {
        const _: () = {
            use $crate::benchd::{abi as abi_, build as build_}; // names that no benchmark has

            const ROWS: usize = [$(stringify!($name)),*].len();
            static DESCRIPTORS: build_::Table<[abi_::bench_descriptor; ROWS]> = build_::Table([$({
                unsafe extern "C" fn run_(b: *mut abi_::bench) {
                    build_::call(b, $name);
                }
                abi_::bench_descriptor {
                    size: core::mem::size_of::<abi_::bench_descriptor>() as u32,
                    line: line!(),
                    name: build_::text(concat!(stringify!($name), "\0")),
                    file: build_::text(concat!(file!(), "\0")),
                    run: run_,
                    options: {
                        #[allow(unused_mut)]
                        let mut options = build_::NONE;
                        $($crate::benchd::option!(options $field $value);)*
                        options
                    },
                }
            }),*]);
            static POINTERS: build_::Table<[*const abi_::bench_descriptor; ROWS]> = build_::Table({
                let mut pointers = [core::ptr::null(); ROWS];
                let mut i = 0;
                while i < ROWS {
                    pointers[i] = &DESCRIPTORS.0[i] as *const abi_::bench_descriptor;
                    i += 1;
                }
                pointers
            });

            #[no_mangle]
            #[allow(non_upper_case_globals)]
            pub static benchd_module: build_::Table<abi_::bench_module> = build_::Table(abi_::bench_module {
                abi: abi_::BENCH_ABI,
                size: core::mem::size_of::<abi_::bench_module>() as u32,
                compiler: build_::text("rustc\0"),
                optimized: !cfg!(debug_assertions) as u32,
                revision: abi_::BENCH_REVISION,
                descriptors: POINTERS.0.as_ptr(),
                descriptors_end: unsafe { POINTERS.0.as_ptr().add(ROWS) },
                areas: core::ptr::null(),
                areas_end: core::ptr::null(),
            });
        };
    };
}

#[doc(hidden)]
macro_rules! benchd_option {
    ($options:ident title $value:tt) => { $options.title = build_::text(concat!($value, "\0")); };
    ($options:ident about $value:tt) => { $options.about = build_::text(concat!($value, "\0")); };
    ($options:ident area $value:tt) => { $options.area = build_::text(concat!($value, "\0")); };
    ($options:ident method $value:tt) => { $options.method = build_::text(concat!($value, "\0")); };
    ($options:ident setup $value:tt) => { $options.setup = $crate::benchd::option!(@function $value); };
    ($options:ident teardown $value:tt) => { $options.teardown = $crate::benchd::option!(@function $value); };
    ($options:ident reset $value:tt) => { $options.reset = $crate::benchd::option!(@function $value); };
    ($options:ident threads [$($count:expr),*]) => {{
        let mut i = 0;
        $( $options.threads.counts[i] = $count; i += 1; )*
        let _ = i;
    }};
    ($options:ident args [$($kind:ident($name:ident, $($value:expr),*)),*]) => {{
        let mut i = 0;
        $( $options.args.axes[i] = $crate::benchd::option!(@axis $kind $name $($value),*); i += 1; )*
        let _ = i;
    }};
    ($options:ident $field:ident $value:tt) => { $options.$field = $value; };
    (@function $name:ident) => {{
        unsafe extern "C" fn run_(b: *mut abi_::bench) {
            build_::call(b, $name);
        }
        Some(run_ as abi_::bench_function)
    }};
    (@axis texts $name:ident $($value:expr),*) => { build_::texts(concat!(stringify!($name), "\0"), &[$(concat!($value, "\0")),*]) };
    (@axis $kind:ident $name:ident $($value:expr),*) => { build_::$kind(concat!(stringify!($name), "\0"), &[$($value),*]) };
}

pub(crate) use benchd_module as module;
pub(crate) use benchd_option as option;

# SPDX-License-Identifier: MIT
"""rust.py - panics that unwind and are caught, threads, channels; and the compiler itself."""
import os
import subprocess

from program import Program, write

RUSTC = "/usr/bin/rustc"  # Debian's

MAIN = r"""
use std::collections::HashMap;
use std::panic;
use std::process::Command;
use std::sync::{mpsc, Arc, Mutex};
use std::thread;

struct Noisy(u32, Arc<Mutex<u32>>);

impl Drop for Noisy {
    fn drop(&mut self) {
        *self.1.lock().unwrap() += self.0;
    }
}

fn deep(n: u32, dropped: &Arc<Mutex<u32>>) -> u64 {
    let _guard = Noisy(1, dropped.clone());
    if n == 0 {
        panic!("deep");
    }
    deep(n - 1, dropped) + 1
}

fn sort_by_panicking(len: usize) -> Result<usize, String> {
    let mut numbers: Vec<usize> = (0..len).map(|i| i * 7919 % 10007).collect();
    panic::catch_unwind(panic::AssertUnwindSafe(|| {
        numbers.sort_by(|a, b| if *a == 5005 && *b != 5005 { panic!("found {}", a) } else { a.cmp(b) });
        numbers.len()
    }))
    .map_err(|what| what.downcast_ref::<String>().cloned().unwrap_or_default())
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let dropped = Arc::new(Mutex::new(0));
    let mut caught = 0;
    for depth in 0..300 {
        let count = dropped.clone();
        caught += panic::catch_unwind(move || deep(depth, &count)).is_err() as u32;
    }
    println!("caught {}, dropped {}", caught, dropped.lock().unwrap());
    println!("{:?} {:?}", sort_by_panicking(5000), sort_by_panicking(10007));

    let (sender, receiver) = mpsc::channel();
    let threads: Vec<_> = (0..8u64)
        .map(|id| {
            let sender = sender.clone();
            thread::Builder::new().name(format!("worker {}", id)).spawn(move || {
                let mut words: HashMap<u64, u64> = HashMap::new();
                for i in 0..200_000u64 {
                    *words.entry((i * 7919 + id) % 1009).or_insert(0) += i;
                }
                sender.send(words.values().fold(0u64, |sum, n| sum ^ n)).unwrap();
                if id % 3 == 0 {
                    panic!("worker {}", id);
                }
                id
            }).unwrap()
        })
        .collect();
    drop(sender);
    let ended: Vec<_> = threads.into_iter().map(|each| each.join().ok()).collect();
    let mut sums: Vec<_> = receiver.iter().collect();
    sums.sort();
    println!("{:?} {:?}", ended, sums);
    let poisoned = Arc::new(Mutex::new(1));
    let other = poisoned.clone();
    let _ = thread::spawn(move || { let _held = other.lock().unwrap(); panic!("with a lock") }).join();
    println!("poisoned {}", poisoned.is_poisoned());
    let output = Command::new("sh").args(["-c", "echo child; exit 9"]).output().unwrap();
    println!("{} {:?}", String::from_utf8_lossy(&output.stdout).trim(), output.status.code());
    println!("{:?}", Command::new("/nonexistent").spawn().map(|_| ()).map_err(|e| e.kind()));
    let _ = panic::take_hook();
    panic!("the end");
}
"""


class Rust(Program):
    name = "rust"
    what = "panics caught and not, 8 threads, channels, a poisoned lock, children"
    packages = ("rustc", "gcc", "libc6-dev")
    version_command = (RUSTC, "--version")
    objects = ("main",)

    def prepare(self, given):
        source = os.path.join(given, "main.rs")
        write(source, MAIN)
        subprocess.run([RUSTC, "-O", "-C", "panic=unwind", "-o", os.path.join(given, "main"), source], check=True)

    def command(self, given):
        return [os.path.join(given, "main")]

    def environment(self):
        return {"RUST_BACKTRACE": "1"}


class Rustc(Program):
    name = "rustc"
    what = "rustc -O of that program, with the code generator in threads"
    packages = ("rustc", "gcc", "libc6-dev")
    version_command = (RUSTC, "--version")
    objects = ("librustc_driver", "libLLVM")

    def prepare(self, given):
        write(os.path.join(given, "main.rs"), MAIN)

    def command(self, given):
        return [RUSTC, "-O", "-C", "codegen-units=4", "-o", "main", os.path.join(given, "main.rs")]

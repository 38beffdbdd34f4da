// SPDX-License-Identifier: MIT
//
// record_truth.rs DEPTH SECONDS - as record_truth.c, in Rust.
use std::hint::black_box;

extern "C" {
    fn clock() -> i64; // CPU time in microseconds
}

struct Turns {
    random: u64,
    left: u32,
    last: u32,
    path: u32,
}

type Leaf = extern "C" fn(&mut Turns);

fn plain(turns: &mut Turns) {
    for i in 0..40 + (turns.random >> 40) % 32 {
        black_box(i);
    }
}

fn with_vector(turns: &mut Turns) {
    let numbers: Vec<u64> = (0..32).map(|i| turns.random >> i).collect();
    black_box(&numbers);
}

fn with_words(turns: &mut Turns) {
    let mut words = [0u64; 64];
    for i in 0..64 {
        words[i] = turns.random + i as u64;
    }
    black_box(&words);
}

fn with_sort(turns: &mut Turns) {
    let mut numbers = [0u16; 40];
    for (i, number) in numbers.iter_mut().enumerate() {
        *number = (turns.random >> (i % 48)) as u16;
    }
    numbers.sort_by(|a, b| black_box(a).cmp(black_box(b)));
    black_box(&numbers);
}

macro_rules! leaves {
    ($($name:ident)*) => {
        $(
            #[no_mangle]
            #[inline(never)]
            extern "C" fn $name(turns: &mut Turns) {
                match black_box(stringify!($name)).len() + turns.path as usize % 4 {
                    n if n % 4 == 0 => plain(turns),
                    n if n % 4 == 1 => with_vector(turns),
                    n if n % 4 == 2 => with_words(turns),
                    _ => with_sort(turns),
                }
                black_box(turns);
            }
        )*
        static LEAVES: [Leaf; 64] = [$($name),*];
    };
}

leaves! {
    leaf_0 leaf_1 leaf_2 leaf_3 leaf_4 leaf_5 leaf_6 leaf_7 leaf_8 leaf_9 leaf_10 leaf_11 leaf_12 leaf_13
    leaf_14 leaf_15 leaf_16 leaf_17 leaf_18 leaf_19 leaf_20 leaf_21 leaf_22 leaf_23 leaf_24 leaf_25 leaf_26
    leaf_27 leaf_28 leaf_29 leaf_30 leaf_31 leaf_32 leaf_33 leaf_34 leaf_35 leaf_36 leaf_37 leaf_38 leaf_39
    leaf_40 leaf_41 leaf_42 leaf_43 leaf_44 leaf_45 leaf_46 leaf_47 leaf_48 leaf_49 leaf_50 leaf_51 leaf_52
    leaf_53 leaf_54 leaf_55 leaf_56 leaf_57 leaf_58 leaf_59 leaf_60 leaf_61 leaf_62 leaf_63
}

fn next_turn(turns: &mut Turns) -> bool {
    let left = turns.left;
    turns.left -= 1;
    if left <= 2 {
        turns.last >> (left - 1) & 1 == 1
    } else {
        turns.random & 1 == 1
    }
}

#[inline(always)]
fn turn(turns: &mut Turns, to: u32) {
    turns.path = turns.path << 1 | to;
    turns.random = turns.random.rotate_right(1);
    if turns.left == 0 {
        LEAVES[turns.path as usize % 64](turns);
    } else if next_turn(turns) {
        right(turns);
    } else {
        left(turns);
    }
    black_box(turns);
}

#[no_mangle]
#[inline(never)]
extern "C" fn left(turns: &mut Turns) {
    let words = black_box([turns.random; 5]);
    turn(turns, 0);
    black_box(&words);
}

#[no_mangle]
#[inline(never)]
extern "C" fn right(turns: &mut Turns) {
    turn(turns, 1);
}

#[no_mangle]
#[inline(never)]
extern "C" fn walk_once(depth: u32, random: u64) {
    let last = (random >> 32) as u32 & 3;
    let mut turns = Turns { random, left: depth + last, last, path: 0 };
    if next_turn(&mut turns) {
        right(&mut turns);
    } else {
        left(&mut turns);
    }
    black_box(&turns);
}

fn main() {
    let words: Vec<f64> = std::env::args().skip(1).map(|word| word.parse().unwrap()).collect();
    let end = unsafe { clock() } + (words[1] * 1e6) as i64;
    let mut random = 88172645463325252u64;
    while unsafe { clock() } < end {
        for _ in 0..200 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            walk_once(words[0] as u32, random);
        }
    }
}

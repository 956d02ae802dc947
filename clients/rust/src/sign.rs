//! The signature of a request: HMAC-SHA256 in base64 (RFC 2104, FIPS 180-4, RFC 4648). The standard library has none of them.

use std::sync::OnceLock;

pub fn sign(secret: &str, text: &str) -> String {
    let hashed = sha256(secret.as_bytes());
    let key = if secret.len() > 64 { &hashed[..] } else { secret.as_bytes() };
    let mut block = [0; 64];
    block[..key.len()].copy_from_slice(key);
    let inner = sha256(&[&block.map(|byte| byte ^ 0x36)[..], text.as_bytes()].concat());
    base64(&sha256(&[&block.map(|byte| byte ^ 0x5c)[..], &inner].concat()))
}

fn base64(bytes: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = three.iter().enumerate().fold(0, |bits, (at, &byte)| bits | u32::from(byte) << (16 - 8 * at));
        for at in 0..4 {
            let letter = letters[(bits >> (18 - 6 * at) & 63) as usize] as char;
            text.push(if at > three.len() { '=' } else { letter });
        }
    }
    text
}

fn sha256(message: &[u8]) -> [u8; 32] {
    static CONSTANTS: OnceLock<([u32; 8], [u32; 64])> = OnceLock::new();
    let &(mut state, rounds) = CONSTANTS.get_or_init(constants);
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((message.len() + 9).div_ceil(64) * 64 - 8, 0);
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks(64) {
        let mut words: Vec<u32> = block.chunks(4).map(|four| u32::from_be_bytes(four.try_into().unwrap())).collect();
        for at in 16..64 {
            let (early, late) = (words[at - 15], words[at - 2]);
            let small = early.rotate_right(7) ^ early.rotate_right(18) ^ early >> 3;
            let large = late.rotate_right(17) ^ late.rotate_right(19) ^ late >> 10;
            words.push(words[at - 16].wrapping_add(small).wrapping_add(words[at - 7]).wrapping_add(large));
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, round) in words.iter().zip(rounds) {
            let chosen = (e & f) ^ (!e & g);
            let most = (a & b) ^ (a & c) ^ (b & c);
            let large = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let small = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let first = h.wrapping_add(large).wrapping_add(chosen).wrapping_add(round).wrapping_add(*word);
            (h, g, f, e, d, c, b) = (g, f, e, d.wrapping_add(first), c, b, a);
            a = first.wrapping_add(small).wrapping_add(most);
        }
        for (sum, part) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *sum = sum.wrapping_add(part);
        }
    }
    let mut bytes = [0; 32];
    for (four, word) in bytes.chunks_mut(4).zip(state) {
        four.copy_from_slice(&word.to_be_bytes());
    }
    bytes
}

/// The first 32 bits of the fractions of square roots of the first 8 primes, and of cube roots of the first 64.
fn constants() -> ([u32; 8], [u32; 64]) {
    let (mut square, mut cube) = ([0; 8], [0; 64]);
    let is_prime = |n: &u128| (2..*n).all(|divisor| n % divisor != 0);
    for (at, prime) in (2..).filter(is_prime).take(64).enumerate() {
        if at < 8 {
            square[at] = root(prime << 64, 2) as u32;
        }
        cube[at] = root(prime << 96, 3) as u32;
    }
    (square, cube)
}

/// The largest whole number whose power is not above it.
fn root(of: u128, power: u32) -> u128 {
    let (mut low, mut high) = (0, 1 << 40);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if u128::pow(middle, power) <= of {
            low = middle
        } else {
            high = middle
        }
    }
    low
}

//! A number that tells texts apart: FNV-1a of 128 bits, as 32 digits. Nobody who wants to is kept from making two texts with
//! the same one.

pub fn fingerprint(text: &str) -> String {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let hash = text.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_the_known_function() {
        assert_eq!(super::fingerprint(""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(super::fingerprint("a"), "d228cb696f1a8caf78912b704e4a8964");
    }
}

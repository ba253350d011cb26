//! What the printf family writes.
//!
//! Flags, width, precision and length modifiers of C for `d i u x X o c s p f F g G e E a %`. A conversion that is not
//! known is written as it stands; a missing argument as `?`. Only the output of `run` and of replays depends on this.

use crate::eval::{Value, signed};
use crate::memory::Memory;
use norn_ir::number::{low_8, low_32, to_usize};
use norn_ir::types::{Target, Ty};

/// Longest string or field that is written.
const LONGEST: usize = 1 << 16;

#[derive(Default)]
struct Spec {
    minus: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternative: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits that a length modifier asks for.
    bits: Option<u32>,
}

pub fn format(memory: &Memory, target: Target, format: Value, args: &[(Ty, Value)]) -> String {
    let Some(text) = memory.text_at(format, LONGEST) else { return String::new() };
    let mut out = Vec::new();
    let mut args = args.iter().copied();
    let mut rest = text.iter().copied().peekable();
    while let Some(c) = rest.next() {
        if c != b'%' {
            out.push(c);
            continue;
        }
        let mut raw = vec![b'%'];
        let mut spec = Spec::default();
        let mut next = || {
            let c = rest.next();
            raw.extend(c);
            c
        };
        let mut c = next();
        while let Some(flag @ (b'-' | b'+' | b' ' | b'0' | b'#')) = c {
            match flag {
                b'-' => spec.minus = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'0' => spec.zero = true,
                _ => spec.alternative = true,
            }
            c = next();
        }
        let mut number = |c: &mut Option<u8>, next: &mut dyn FnMut() -> Option<u8>| -> i64 {
            if *c == Some(b'*') {
                *c = next();
                return args.next().map_or(0, |(_, v)| signed(v.bits, 32));
            }
            let mut n = 0i64;
            while let Some(digit @ b'0'..=b'9') = *c {
                n = (n * 10 + i64::from(digit - b'0')).min(LONGEST as i64);
                *c = next();
            }
            n
        };
        let width = number(&mut c, &mut next);
        spec.minus |= width < 0;
        spec.width = to_usize(width.unsigned_abs()).min(LONGEST);
        if c == Some(b'.') {
            c = next();
            let precision = number(&mut c, &mut next);
            spec.precision = usize::try_from(precision).ok().map(|p| p.min(LONGEST));
        }
        while let Some(modifier @ (b'h' | b'l' | b'L' | b'q' | b'j' | b'z' | b't')) = c {
            spec.bits = Some(match (modifier, spec.bits) {
                (b'h', Some(16)) => 8,
                (b'h', _) => 16,
                (b'l', Some(_)) | (b'q' | b'j' | b'L', _) => 64,
                _ => Ty::Ptr.bits(target),
            });
            c = next();
        }
        match c {
            Some(b'%') => out.push(b'%'),
            Some(kind @ (b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' | b's' | b'p' | b'n')) => {
                conversion(&mut out, memory, target, &spec, kind, args.next());
            }
            Some(kind @ (b'f' | b'F' | b'g' | b'G' | b'e' | b'E' | b'a' | b'A')) => {
                let x = args.next().map(|(ty, v)| match ty {
                    Ty::F32 => f64::from(f32::from_bits(low_32(v.bits))),
                    _ => f64::from_bits(v.bits),
                });
                float(&mut out, &spec, kind, x);
            }
            _ => out.extend(raw),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn conversion(out: &mut Vec<u8>, memory: &Memory, target: Target, spec: &Spec, kind: u8, arg: Option<(Ty, Value)>) {
    let Some((ty, value)) = arg else { return out.push(b'?') };
    let width = spec.bits.unwrap_or(32).min(ty.bits(target).max(8));
    let cut = if width >= 64 { value.bits } else { value.bits & ((1 << width) - 1) };
    match kind {
        b'd' | b'i' => {
            let number = signed(cut, width);
            let sign = match () {
                () if number < 0 => "-",
                () if spec.plus => "+",
                () if spec.space => " ",
                () => "",
            };
            integer(out, spec, sign, number.unsigned_abs().to_string());
        }
        b'u' => integer(out, spec, "", cut.to_string()),
        b'x' => integer(out, spec, if spec.alternative && cut != 0 { "0x" } else { "" }, format!("{cut:x}")),
        b'X' => integer(out, spec, if spec.alternative && cut != 0 { "0X" } else { "" }, format!("{cut:X}")),
        b'o' => {
            // '#' asks for a leading zero, which the precision may have put there already.
            let digits = format!("{cut:o}");
            let has_zero =
                if cut == 0 { spec.precision != Some(0) } else { spec.precision.unwrap_or(0) > digits.len() };
            integer(out, spec, if spec.alternative && !has_zero { "0" } else { "" }, digits);
        }
        b'c' => pad(out, spec, "", &[low_8(value.bits)], false),
        b'p' if value.bits == 0 => pad(out, spec, "", b"(nil)", false),
        b'p' => pad(out, spec, "0x", format!("{:x}", value.bits).as_bytes(), false),
        b's' => {
            let limit = spec.precision.unwrap_or(LONGEST);
            let text = memory.text_at(value, limit);
            pad(out, spec, "", text.as_deref().unwrap_or(b"(null)"), false);
        }
        // '%n' writes into memory in C; here output never does.
        _ => {}
    }
}

fn integer(out: &mut Vec<u8>, spec: &Spec, prefix: &str, digits: String) {
    let digits = match spec.precision {
        Some(0) if digits == "0" => String::new(),
        Some(precision) => format!("{digits:0>precision$}"),
        None => digits,
    };
    pad(out, spec, prefix, digits.as_bytes(), spec.zero && spec.precision.is_none());
}

fn float(out: &mut Vec<u8>, spec: &Spec, kind: u8, x: Option<f64>) {
    let Some(x) = x else { return out.push(b'?') };
    let sign = match () {
        () if x.is_sign_negative() && !x.is_nan() => "-",
        () if spec.plus => "+",
        () if spec.space => " ",
        () => "",
    };
    let upper = kind.is_ascii_uppercase();
    let magnitude = x.abs();
    let precision = spec.precision.unwrap_or(6);
    let text = match kind.to_ascii_lowercase() {
        _ if x.is_nan() => "nan".to_owned(),
        _ if x.is_infinite() => "inf".to_owned(),
        b'f' if precision == 0 && spec.alternative => format!("{magnitude:.0}."),
        b'f' => format!("{magnitude:.precision$}"),
        b'e' => exponent_form(magnitude, precision),
        b'a' => hexadecimal_form(magnitude, spec.precision, spec.alternative),
        _ => shortest_form(magnitude, precision.max(1), spec.alternative),
    };
    let text = if upper { text.to_uppercase() } else { text };
    // Zeros stand behind the prefix.
    let (prefix, digits) = text.split_at(if x.is_finite() && kind.eq_ignore_ascii_case(&b'a') { 2 } else { 0 });
    pad(out, spec, &format!("{sign}{prefix}"), digits.as_bytes(), spec.zero && x.is_finite());
}

/// `1.5e+02`: at least two digits of exponent, with sign.
fn exponent_form(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |e| ('-', e));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// `0x1.8p+1`: as many digits as are needed, or as many as are asked for, rounded to the nearest, ties to even.
fn hexadecimal_form(x: f64, precision: Option<usize>, keep_point: bool) -> String {
    const DIGITS: usize = 13;
    let bits = x.to_bits();
    let (biased, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    // The leading digit stands before the fraction; there is none for zero and what is less than the smallest normal number.
    let mut digits = u64::from(biased != 0) << 52 | fraction;
    let exponent = match (biased, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased.cast_signed() - 1023,
    };
    if let Some(dropped) = precision.and_then(|precision| DIGITS.checked_sub(precision)) {
        let unit = 1 << (4 * dropped);
        let rest = digits % unit;
        let rounds_up = rest > unit / 2 || rest == unit / 2 && dropped > 0 && digits / unit % 2 == 1;
        digits = digits - rest + if rounds_up { unit } else { 0 };
    }
    let text = format!("{:013x}", digits & ((1 << 52) - 1));
    let shown = match precision {
        None => text.trim_end_matches('0').to_owned(),
        Some(precision) => format!("{text:0<precision$}")[..precision].to_owned(),
    };
    let point = if shown.is_empty() && !keep_point { "" } else { "." };
    format!("0x{}{point}{shown}p{exponent:+}", digits >> 52)
}

/// `%g`: the exponent decides between the two forms; zeros at the end are left out.
fn shortest_form(x: f64, precision: usize, keep_zeros: bool) -> String {
    let rounded = format!("{x:.*e}", precision - 1);
    let exponent: isize = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let text = match (precision - 1).checked_add_signed(-exponent) {
        Some(digits) if exponent >= -4 => format!("{x:.digits$}"),
        _ => exponent_form(x, precision - 1),
    };
    if keep_zeros {
        return text;
    }
    let (mantissa, exponent) = text.find('e').map_or((text.as_str(), ""), |at| text.split_at(at));
    let mantissa = if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{mantissa}{exponent}")
}

fn pad(out: &mut Vec<u8>, spec: &Spec, prefix: &str, body: &[u8], with_zeros: bool) {
    let missing = spec.width.saturating_sub(prefix.len() + body.len());
    let blanks = |out: &mut Vec<u8>| out.extend(std::iter::repeat_n(b' ', missing));
    if !spec.minus && !with_zeros {
        blanks(out);
    }
    out.extend(prefix.as_bytes());
    if !spec.minus && with_zeros {
        out.extend(std::iter::repeat_n(b'0', missing));
    }
    out.extend(body);
    if spec.minus {
        blanks(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Machine, NoInputs};
    use crate::observe::Unobserved;
    use norn_verdict::model::Model;

    fn check(format_text: &str, args: &[(Ty, u64)], expected: &str) {
        let program = crate::testing::text(&format!(
            "type t5 = array 80 * t3\nglobal g0 \"format\": t5 constant {{\n0: bytes \"{format_text}\"\n}}\n\
             global g1 \"word\": t5 constant {{\n0: bytes \"abc\"\n}}\n{}",
            crate::testing::function(0, "main", "")
        ));
        let machine = Machine::new(&program, Model::Sc, Default::default());
        let state = machine.initial(&mut Unobserved, &mut NoInputs).expect("it should begin");
        let address = |id: u32| {
            state.memory.pointer_to(
                machine.globals.object(norn_ir::ids::GlobalId(id), norn_verdict::trace::ThreadIndex::MAIN),
                0,
            )
        };
        let args: Vec<(Ty, Value)> = args
            .iter()
            .map(|&(ty, bits)| (ty, if ty == Ty::Ptr && bits != 0 { address(1) } else { Value::int(bits) }))
            .collect();
        assert_eq!(format(&state.memory, program.target, address(0), &args), expected, "{format_text}");
    }

    #[test]
    fn integers() {
        check("%d|%i|%u", &[(Ty::I32, 0xffff_ffff), (Ty::I32, 5), (Ty::I32, 0xffff_ffff)], "-1|5|4294967295");
        check("%5d|%-5d|%05d|%+d|% d", &[(Ty::I32, 42); 5], "   42|42   |00042|+42| 42");
        check("%x %X %o %#x %.4x", &[(Ty::I32, 255); 5], "ff FF 377 0xff 00ff");
        check("%hhd %hd %ld %lld %zu", &[(Ty::I64, 0x1_8080_ff80); 5], "-128 -128 6450904960 6450904960 6450904960");
        check("%*d|%-*d|", &[(Ty::I32, 4), (Ty::I32, 1), (Ty::I32, 3), (Ty::I32, 2)], "   1|2  |");
        check(
            "%#o %#.3o %#5o|%#o|%#.0o",
            &[(Ty::I32, 9), (Ty::I32, 9), (Ty::I32, 9), (Ty::I32, 0), (Ty::I32, 0)],
            "011 011   011|0|0",
        );
        check("%c%%%c", &[(Ty::I32, 65), (Ty::I32, 66)], "A%B");
        check("%d %d", &[(Ty::I32, 1)], "1 ?");
        check("100%", &[], "100%");
    }

    #[test]
    fn strings_and_pointers() {
        check("[%s] [%5s] [%-5s] [%.2s]", &[(Ty::Ptr, 1); 4], "[abc] [  abc] [abc  ] [ab]");
        check("%s %p", &[(Ty::Ptr, 0); 2], "(null) (nil)");
    }

    #[test]
    fn floats() {
        let x = |x: f64| (Ty::F64, x.to_bits());
        check("%f %.2f %e %.0f", &[x(1.5), x(-2.345), x(12345.678), x(2.5)], "1.500000 -2.35 1.234568e+04 2");
        check("%g %g %g %g", &[x(0.0001), x(1e10), x(100000.0), x(0.5)], "0.0001 1e+10 100000 0.5");
        check("%8.3f|%-8.1f|%08.2f", &[x(2.7654), x(2.0), x(-1.0)], "   2.765|2.0     |-0001.00");
        check("%#.0f %#g", &[x(1.0), x(1.0)], "1. 1.00000");
        check("%f %F", &[x(f64::INFINITY), x(f64::NAN)], "inf NAN");
    }
}

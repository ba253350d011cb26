//! The shared memory abstractions: C texts of their own (`templates/`), made for a program.

use crate::c_types::cell_type;
use crate::cells::Cells;
use crate::expr::top;
use crate::objects::Location;
use crate::template::{expand, mentions};
use crate::{DEFAULT_NODES, Options, Sma};
use norn_ir::types::{Target, Ty};
use norn_verdict::model::Model;
use std::fmt::Write;

const SC: &str = include_str!("../templates/sc.c");
const VALUE: &str = include_str!("../templates/value.c");
const BUFFER: &str = include_str!("../templates/buffer.c");
const LIST: &str = include_str!("../templates/list.c");

/// So many locations are looked through for an address; a verifier then sees which of them it cannot be. Of more, one is
/// guessed.
const FEW_LOCATIONS: usize = 16;

/// What an abstraction has to know about the program.
pub struct Memory<'a> {
    pub options: &'a Options,
    pub locations: &'a [Location],
    pub cells: Option<&'a Cells>,
    pub threads: u32,
    /// Writes that a thread can make, at most, and all of them together.
    pub stores: u32,
    pub all_stores: u32,
    pub target: Target,
}

/// How many bits the numbers up to this one have.
pub fn bits_of(most: u32) -> u32 {
    u32::BITS - most.leading_zeros()
}

impl Memory<'_> {
    /// The text of the abstraction, as far as the program's text needs it.
    pub fn text(&self, program: &str) -> String {
        let model = match self.options.model {
            Model::Sc => return expand(SC, &[], program),
            model => model.name(),
        };
        let (list, init) = match self.options.sma {
            Sma::Buffer => (BUFFER, String::new()),
            Sma::List => (LIST, self.init()),
        };
        let by_address = ["sma_read_addr", "sma_write_addr", "sma_location"];
        let is_few = self.count() <= FEW_LOCATIONS;
        let is_looked_up =
            is_few && self.options.sma == Sma::List && by_address.iter().any(|name| mentions(program, name));
        let lookup = if is_looked_up { self.lookup() } else { String::new() };
        let mut needs = format!("{program} {init} {lookup}");
        self.conversions(program, &mut needs);
        let uses_pointers = mentions(&needs, "sma_make_address") || mentions(&needs, "sma_take_address");
        let mut words = vec![model];
        words.extend(uses_pointers.then_some("pointers"));
        words.extend(self.options.bits.filter(|&bits| bits < 64).map(|_| "bits"));
        words.extend(self.cells.filter(|cells| cells.mixed).map(|_| "mixed"));
        words.extend(is_few.then_some("few"));
        words.extend((self.buffered() < self.stores).then_some("short"));
        words.extend(mentions(program, "sma_read_own").then_some("own"));
        let memory = expand(list, &words, &needs);
        let value = expand(VALUE, &words, &format!("{needs} {memory}"));
        format!("{value}\n{memory}\n{lookup}{init}")
    }

    /// The conversions that macros make by pasting names of types.
    fn conversions(&self, program: &str, needs: &mut String) {
        for ty in [Ty::I8, Ty::I16, Ty::I32, Ty::I64, Ty::Ptr] {
            let c = cell_type(ty);
            let has = |call: &str| program.contains(&format!("{call}({c},"));
            if has("sma_write") || has("sma_write_addr") || has("sma_enter") {
                write!(needs, " sma_make_{c}").expect("writing to a string should not fail");
            }
            if has("sma_read") || has("sma_read_own") || has("sma_read_addr") {
                write!(needs, " sma_take_{c}").expect("writing to a string should not fail");
            }
        }
    }

    /// The numbers that it is made for.
    pub fn parameters(&self) -> String {
        match (self.options.model, self.options.sma) {
            (Model::Sc, _) => String::new(),
            (_, Sma::Buffer) => {
                let stores = self.buffered();
                let (thread_bits, store_bits) = (bits_of(self.threads - 1), bits_of(stores - 1));
                format!(
                    "#define SMA_STORES {stores}\n#define SMA_UPDATES {}\n#define SMA_STORE_BITS {store_bits}\n\
                     #define THREAD_BITS {thread_bits}\n",
                    self.updates()
                )
            }
            (_, Sma::List) => {
                let Options { timestamps, bits, .. } = self.options;
                let nodes = self.nodes();
                let mut text = format!(
                    "#define SMA_TIMESTAMPS {timestamps}\n#define SMA_CLOCK_BITS {}\n#define SMA_NODES {nodes}\n\
                     #define SMA_NODE_BITS {}\n",
                    bits_of(timestamps - 1),
                    bits_of(nodes)
                );
                if let Some(bits) = bits.filter(|&bits| bits < 64) {
                    writeln!(text, "#define SMA_BITS {bits}").expect("writing to a string should not fail");
                }
                let (fixed, _) = self.split();
                let count = self.count();
                let location_bits = bits_of(u32::try_from(count - 1).unwrap_or(u32::MAX));
                writeln!(text, "#define SMA_LOCATIONS {count}\n#define SMA_LOCATION_BITS {location_bits}")
                    .expect("writing to a string should not fail");
                if !fixed.is_empty() {
                    text.push_str("enum {\n");
                    for location in fixed {
                        writeln!(text, "    {},", location.name).expect("writing to a string should not fail");
                    }
                    text.push_str("};\n");
                }
                text
            }
        }
    }

    /// How often its loops are followed, at most.
    pub fn longest_loop(&self) -> u64 {
        match (self.options.model, self.options.sma) {
            (Model::Sc, _) => 0,
            (_, Sma::Buffer) => u64::from(self.updates().max(self.buffered()).max(self.threads)),
            (_, Sma::List) => u64::from((self.nodes() + 1).max(self.threads)).max(self.chosen() as u64),
        }
    }

    /// Its bounds, for people.
    pub fn bounds(&self) -> String {
        let plural = |n: u32, what: &str| if n == 1 { format!("{n} {what}") } else { format!("{n} {what}s") };
        match (self.options.model, self.options.sma) {
            (Model::Sc, _) => String::new(),
            (_, Sma::Buffer) => format!(";\n *   {} per store buffer", plural(self.buffered(), "store")),
            (_, Sma::List) => {
                let Options { timestamps, locations, mallocs, bits, .. } = self.options;
                let timestamps = plural(*timestamps, "timestamp");
                let mut text = format!(";\n *   {timestamps}, {} per location", plural(self.nodes(), "node"));
                let more = [("locations by address", locations), ("allocated objects", mallocs), ("bits", bits)];
                for (what, bound) in more {
                    if let Some(bound) = bound {
                        write!(text, ", {bound} {what}").expect("writing to a string should not fail");
                    }
                }
                text
            }
        }
    }

    fn nodes(&self) -> u32 {
        self.options.nodes.unwrap_or(DEFAULT_NODES).max(2)
    }

    fn buffered(&self) -> u32 {
        self.options.nodes.map_or(self.stores, |nodes| nodes.min(self.stores)).max(1)
    }

    /// Stores that can wait in buffers at once.
    fn updates(&self) -> u32 {
        self.all_stores.min(self.buffered().saturating_mul(self.threads)).max(1)
    }

    /// The locations that are always tracked, and those of which some are chosen.
    fn split(&self) -> (Vec<&Location>, Vec<&Location>) {
        self.locations.iter().partition(|location| !location.is_chosen)
    }

    /// How many of the locations by address are tracked.
    fn chosen(&self) -> usize {
        let (_, candidates) = self.split();
        self.options.locations.map_or(0, |most| candidates.len().min(most as usize))
    }

    /// How many locations are tracked; one that nobody uses if there are none.
    fn count(&self) -> usize {
        (self.split().0.len() + self.chosen()).max(1)
    }

    /// The function that finds the location at an address by looking at all of them. One that is not tracked is a bound.
    fn lookup(&self) -> String {
        let (fixed, _) = self.split();
        let names = fixed.iter().map(|location| location.name.clone());
        let numbers = (fixed.len()..self.count()).map(|number| number.to_string());
        let is_mixed = self.cells.is_some_and(|cells| cells.mixed);
        let mut text = String::from("/* The location at an address. One that is not tracked is a bound. */\n");
        text.push_str("static unsigned sma_location(address a, unsigned bytes)\n{\n");
        if !is_mixed {
            text.push_str("    (void)bytes;\n");
        }
        for name in names.chain(numbers) {
            let line = match is_mixed {
                true => format!("    if (sma_is_at({name}, a, bytes)) return {name};\n"),
                false => format!("    if (sma_address[{name}] == a) return {name};\n"),
            };
            text.push_str(&line);
        }
        text + "    assume(0);\n    return 0;\n}\n\n"
    }

    /// The function that gives the locations of the list SMA their first values.
    fn init(&self) -> String {
        let (fixed, candidates) = self.split();
        let locate = |number: &str, location: &Location| {
            let c = cell_type(location.ty);
            let value = location.initial.clone().unwrap_or_else(|| format!("content({c})"));
            let bytes = location.ty.size(self.target);
            format!("sma_locate({number}, {}, {bytes}, sma_make_{c}({}));", top(&location.address), top(&value))
        };
        let mut text = String::from("static void sma_init(void)\n{\n");
        let chosen = self.chosen();
        if chosen > 0 {
            text.push_str("    unsigned sma_at, sma_choice = 0;\n");
        }
        for location in &fixed {
            writeln!(text, "    {}", locate(&location.name, location)).expect("writing to a string should not fail");
        }
        if chosen > 0 {
            let (first, count) = (fixed.len(), candidates.len());
            write!(
                text,
                "    /* Of the locations that are reached by computed addresses, {chosen} are tracked. */\n    \
                 for (sma_at = {first}; sma_at < {}; sma_at++) {{\n        sma_choice = choose({}, sma_choice, {} + sma_at);\n        switch (sma_choice) {{\n",
                first + chosen,
                bits_of(u32::try_from(count - 1).unwrap_or(u32::MAX)),
                // As many must be left as are still to be chosen.
                count as i64 - chosen as i64 - first as i64,
            )
            .expect("writing to a string should not fail");
            for (number, location) in candidates.iter().enumerate() {
                writeln!(text, "        case {number}: {} break;", locate("sma_at", location))
                    .expect("writing to a string should not fail");
            }
            text.push_str("        }\n        sma_choice++;\n    }\n");
        }
        text + "}\n"
    }
}

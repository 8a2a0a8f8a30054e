//! Text on its way in. JavaScript encodes into a buffer kept here (`TextEncoder.encodeInto`), which
//! costs a thirtieth of passing `&str`; calls then name how many bytes are theirs.

use std::cell::RefCell;
use wasm_bindgen::prelude::*;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Above this the buffer is given back after use, so that one huge reply does not stay resident.
const KEPT_BYTES: usize = 1 << 20;

/// Makes room for `bytes` bytes, keeping what was written, and returns where the buffer starts.
#[wasm_bindgen]
pub fn input_reserve(bytes: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        if input.len() < bytes {
            input.resize(bytes, 0);
        }
        input.as_mut_ptr()
    })
}

/// The first `bytes` bytes of the buffer.
pub fn input_bytes(bytes: usize) -> Vec<u8> {
    INPUT.with_borrow_mut(|input| {
        let mut taken = if input.len() > KEPT_BYTES {
            std::mem::take(input)
        } else {
            input.get(..bytes.min(input.len())).unwrap_or_default().to_vec()
        };
        taken.truncate(bytes);
        taken
    })
}

/// The first `bytes` bytes of the buffer as an owned text; ill-formed bytes become U+FFFD.
pub fn input_text(bytes: usize) -> String {
    String::from_utf8(input_bytes(bytes))
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Lets `read` look at the first `bytes` bytes of the buffer without a copy. `read` may not call out.
pub fn with_input_text<T>(bytes: usize, read: impl FnOnce(&str) -> T) -> T {
    INPUT.with_borrow(|input| {
        let bytes = input.get(..bytes).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(text) => read(text),
            Err(_) => read(&String::from_utf8_lossy(bytes)),
        }
    })
}

/// True when the first `bytes` bytes of the buffer are `text`.
pub fn input_is(bytes: usize, text: &str) -> bool {
    bytes == text.len() && INPUT.with_borrow(|input| input.get(..bytes) == Some(text.as_bytes()))
}

/// The texts of one call, which end at the byte offsets `ends` (ascending): cut where they are asked
/// for, so that none is copied twice.
pub struct Texts<'e> {
    all: String,
    ends: &'e [u32],
}

impl<'e> Texts<'e> {
    /// Takes them from the buffer.
    pub fn new(ends: &'e [u32]) -> Self {
        Texts { all: input_text(ends.last().map_or(0, |&end| end as usize)), ends }
    }

    /// The text with this index, if there are so many.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)? as usize;
        let before = index.checked_sub(1).and_then(|before| self.ends.get(before));
        Some(self.all.get(before.map_or(0, |&start| start as usize)..end).unwrap_or(""))
    }

    /// The text with this index; one that is not there is empty.
    pub fn at(&self, index: usize) -> &str {
        self.get(index).unwrap_or("")
    }

    /// The texts from this index on.
    pub fn from(&self, index: usize) -> impl Iterator<Item = &str> {
        (index..self.ends.len()).map(|index| self.at(index))
    }
}

/// [`Texts`], each owned.
pub fn input_texts(ends: &[u32]) -> Vec<String> {
    Texts::new(ends).from(0).map(str::to_owned).collect()
}

/// The instance's memory, for writing into the buffer.
#[wasm_bindgen]
pub fn wasm_memory() -> JsValue {
    wasm_bindgen::memory()
}

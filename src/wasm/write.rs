//! Results on their way out: numbers in one `Uint32Array`, texts joined into one string that the
//! facade cuts by length. A sixth of the cost of building objects here.

use js_sys::{Array, JsString, Uint32Array};

/// Stands for an absent number.
const NONE: u32 = u32::MAX;

/// Collects one result.
#[derive(Default)]
pub struct Packer {
    numbers: Vec<u32>,
    text: String,
}

impl Packer {
    /// A number that is there.
    pub fn number(&mut self, value: usize) {
        self.numbers.push(u32::try_from(value).unwrap_or(NONE - 1));
    }

    /// A number that may be absent.
    pub fn optional(&mut self, value: Option<usize>) {
        match value {
            Some(value) => self.number(value),
            None => self.numbers.push(NONE),
        }
    }

    /// A text: its length in UTF-16 units among the numbers, its characters behind all others.
    pub fn text(&mut self, value: &str) {
        self.number(crate::text::utf16_len(value));
        self.text.push_str(value);
    }

    /// A text that may be absent.
    pub fn optional_text(&mut self, value: Option<&str>) {
        match value {
            Some(value) => self.text(value),
            None => self.numbers.push(NONE),
        }
    }

    /// `[Uint32Array, string]`, read by `Unpacker` in the facade.
    pub fn finish(self) -> Array {
        Array::of2(&Uint32Array::from(self.numbers.as_slice()), &JsString::from(self.text))
    }
}

//! An [`Error`] as the plain object the facade turns into an `EvidenceError`.

use crate::error::{Detail, Error};
use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

impl From<Error> for JsValue {
    fn from(error: Error) -> JsValue {
        let details = Object::new();
        for (name, detail) in error.details() {
            let value = match detail {
                Detail::Text(text) => JsValue::from_str(text),
                Detail::Number(number) => JsValue::from_f64(*number as f64),
            };
            set(&details, name, &value);
        }
        let object = Object::new();
        set(&object, "evidenceCode", &JsValue::from_str(error.code().as_str()));
        set(&object, "message", &JsValue::from_str(&error.to_string()));
        set(&object, "details", &details);
        object.into()
    }
}

fn set(object: &Object, name: &str, value: &JsValue) {
    // Setting a property of a fresh plain object cannot fail.
    let _ = Reflect::set(object, &JsValue::from_str(name), value);
}

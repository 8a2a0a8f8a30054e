//! Calling back into the host: one helper turns a throw, a rejection or a missing method into `None`.

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Calls `host[method](...arguments)` synchronously, then awaits what it returns when that is a
/// thenable. `None` when the method is missing, throws or rejects.
pub async fn ask(host: &JsValue, method: &str, arguments: &Array) -> Option<JsValue> {
    let function: Function = Reflect::get(host, &JsValue::from_str(method)).ok()?.dyn_into().ok()?;
    let answer = Reflect::apply(&function, host, arguments).ok()?;
    let is_thenable = answer.is_object()
        && Reflect::get(&answer, &JsValue::from_str("then")).is_ok_and(|then| then.is_function());
    if is_thenable { JsFuture::from(Promise::resolve(&answer)).await.ok() } else { Some(answer) }
}

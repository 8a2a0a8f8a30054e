//! Gate: no "done" while a check is owed.
//!
//! [`Gate`] keeps the books: what changed, what was checked, what is still owed. [`is_code_file_path`]
//! and [`is_check_own_file`] say what a path is, [`detect_check_weakening`] what new text does to the
//! checks, [`extract_added_lines`] which text is new. [`Demand`] is what the agent is asked, as data
//! and in words. [`commands`] says which shell lines run a check, and what their exit status proves.

mod books;
mod check_files;
mod code_files;
pub mod commands;
mod demands;
mod diff;
mod marker_table;
mod markers;
mod snapshot;

pub use books::{Change, Gate, Problem, Reason, SuspectMutation};
pub use check_files::is_check_own_file;
pub use code_files::is_code_file_path;
pub use demands::{
    Demand, RejectedCheck, follow_up_message, problem_message, tamper_message, verification_message,
};
pub use diff::{FileLines, added_lines_by_file, extract_added_lines};
pub use markers::detect_check_weakening;

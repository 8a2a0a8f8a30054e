//! What verification asks the world.

/// Whether a commit is in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitCheck {
    /// The name, whole or abbreviated, is a commit's.
    Present,
    /// The repository was asked and has no such commit.
    Absent,
    /// The repository could not be asked, or cannot know.
    Error,
}

/// Answers of the injected world; `None` is a look-up that failed. Paths are absolute: a root as the
/// caller gave it, `/`, and a path without `..`.
#[allow(async_fn_in_trait)] // Static dispatch only; a caller on several threads brings a host of its own.
pub trait Host {
    /// Milliseconds, from any start.
    async fn now(&self) -> Option<f64>;
    /// Whether a regular file is there.
    async fn file_exists(&self, path: &str) -> Option<bool>;
    /// The file's text.
    async fn read_text(&self, path: &str) -> Option<String>;
    /// The files of a root, relative to it, separated by NUL.
    async fn list_files(&self, root: &str) -> Option<String>;
    /// One answer for each of `shas` (lower-case hex), in their order. An answer of another length has failed.
    async fn commits_exist(&self, root: &str, shas: &[&str]) -> Option<Vec<CommitCheck>>;
    /// Whether many names in one question cost about as much as one: then a root is asked once.
    fn answers_commits_together(&self) -> bool;
}

//! stub
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Tests,
    Commit,
    Push,
    File,
}
impl Kind {
    pub fn as_str(self) -> &'static str {
        ""
    }
}
#[derive(Clone, Copy)]
pub enum Says {
    Pass,
    Fail,
    Done,
    NotDone,
}
impl Says {
    pub fn as_str(self) -> &'static str {
        ""
    }
}
#[derive(PartialEq)]
pub enum Scope {
    All,
    Part,
    Unclear,
}
pub struct Count {
    pub passed: Option<u64>,
    pub failed: Option<u64>,
}
pub struct TextClaim {
    pub kind: Kind,
    pub says: Says,
    pub scope: Scope,
    pub count: Option<Count>,
    pub runner: Option<String>,
    pub object: Option<String>,
    pub span: std::ops::Range<usize>,
    pub subset: Option<String>,
}
pub fn claims(_m: &str) -> Vec<TextClaim> {
    vec![]
}

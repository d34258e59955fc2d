//! The vocabulary: what every other module may talk about.
//!
//! No I/O, no wire formats, nothing of Octavia: a second provider reads the same words.

pub mod answer;
pub mod credentials;
pub mod finding;
pub mod front;
pub mod health;
pub mod ids;
pub mod list;
pub mod mark;
pub mod monitor;
pub mod name_template;
pub mod outcome;
pub mod policy;
pub mod port;
pub mod probe;
pub mod release;
pub mod request;
pub mod status;
pub mod traffic;
pub mod vip_addresses;

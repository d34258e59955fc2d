//! One file a relation interface: databag text to the model and back. Pure.

pub mod loadbalancer;

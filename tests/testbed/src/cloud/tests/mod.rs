//! The rules of the cloud, as tables: one line a rule, by raw HTTP.
//!
//! They hold on a real OpenStack as well: with `TESTBED_KEYSTONE` and its like in the environment (see `table.rs`) the
//! tests run there too, best one at a time.

mod behind;
mod health;
mod keystone;
mod life;
mod neutron;
mod octavia_create;
mod octavia_list;
mod octavia_update;
mod placement;
mod table;

use crate::trials;
use libtest_mimic::Trial;
trials![];

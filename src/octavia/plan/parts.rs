//! Listeners and pools of one load balancer, front port by front port.

use std::collections::BTreeSet;

use super::{Past, members, monitor};
use crate::model::port::Port;
use crate::octavia::change::{Change, PoolReference};
use crate::octavia::desired::{Listener as Wanted, LoadBalancer};
use crate::octavia::names;
use crate::octavia::observed::{self, Listener, Pool, Terrain};
use crate::octavia::status::Provisioning;

pub(super) fn changes(
    wanted: &LoadBalancer,
    present: &observed::LoadBalancer,
    network: Option<&str>,
    terrain: &Terrain,
    past: Past<'_>,
    changes: &mut Vec<Change>,
) {
    let mut used_pools = Vec::new();
    let mut used_listeners = Vec::new();
    for (front, wanted_listener) in &wanted.listeners {
        let front = Front {
            load_balancer: &present.id,
            name: names::listener(&wanted.key.name, *front),
            port: *front,
            wanted: wanted_listener,
            past,
        };
        let listener = present.listeners.iter().find(|listener| listener.port == front.port);
        let pool = present.pools.iter().filter(|pool| pool.front == Some(front.port)).min_by_key(|pool| {
            (listener.and_then(|listener| listener.pool.as_ref()) != Some(&pool.id), &pool.id)
        });
        used_listeners.extend(listener.map(|listener| &listener.id));
        used_pools.extend(pool.map(|pool| &pool.id));
        front.changes(listener, pool, network, terrain, changes);
    }
    for listener in present.listeners.iter().filter(|listener| !used_listeners.contains(&&listener.id)) {
        changes.push(Change::DeleteListener { id: listener.id.clone(), front: listener.port });
    }
    for pool in present.pools.iter().filter(|pool| pool.front.is_some() && !used_pools.contains(&&pool.id)) {
        changes.push(Change::DeletePool { id: pool.id.clone() });
    }
}

/// One wanted front port.
struct Front<'a> {
    load_balancer: &'a str,
    name: String,
    port: Port,
    wanted: &'a Wanted,
    past: Past<'a>,
}

impl Front<'_> {
    fn changes(
        &self,
        listener: Option<&Listener>,
        pool: Option<&Pool>,
        network: Option<&str>,
        terrain: &Terrain,
        changes: &mut Vec<Change>,
    ) {
        let speaks_otherwise = pool.is_some_and(|pool| pool.protocol != self.wanted.transport.as_str());
        if speaks_otherwise && listener.is_some() && self.wanted.members.is_empty() {
            // There is nobody yet to whom the traffic could go instead.
            return;
        }
        // A protocol cannot be changed: the listener goes, then its pool, then both are made anew.
        let listener = listener.filter(|listener| {
            let stays = listener.protocol == self.wanted.transport.as_str()
                && !self.past.tried.has_failed(&listener.id, listener.provisioning);
            if !stays {
                changes.push(Change::DeleteListener { id: listener.id.clone(), front: self.port });
            }
            stays
        });
        let pool = pool.filter(|pool| {
            let stays = pool.protocol == self.wanted.transport.as_str()
                && !self.past.tried.has_failed(&pool.id, pool.provisioning);
            if !stays {
                changes.push(Change::DeletePool { id: pool.id.clone() });
            }
            stays
        });
        match pool {
            Some(pool) => self.update_pool(pool, changes),
            None => changes.push(Change::CreatePool {
                load_balancer: self.load_balancer.to_owned(),
                name: self.name.clone(),
                front: self.port,
                transport: self.wanted.transport,
                algorithm: self.wanted.algorithm,
                sticky: self.wanted.sticky,
                refused: self.wanted.refused.clone(),
            }),
        }
        let reference =
            pool.map_or(PoolReference::Planned(self.port), |pool| PoolReference::Existing(pool.id.clone()));
        let present = pool.map_or(&[][..], |pool| &pool.members);
        let subnet = |address| terrain.member_subnet(address, network).map(str::to_owned);
        members::changes(
            &self.wanted.members,
            present,
            subnet,
            self.past,
            |members, difference, departed| {
                changes.push(Change::PutMembers {
                    pool: reference.clone(),
                    front: self.port,
                    members,
                    difference,
                    departed,
                });
            },
        );
        let present = pool.and_then(|pool| pool.monitor.as_ref());
        monitor::changes(
            self.wanted.monitor.as_ref(),
            present,
            &reference,
            self.port,
            &self.name,
            self.past.tried,
            changes,
        );
        match listener {
            Some(listener) => self.update_listener(listener, reference, changes),
            None => changes.push(Change::CreateListener {
                load_balancer: self.load_balancer.to_owned(),
                name: self.name.clone(),
                front: self.port,
                transport: self.wanted.transport,
                allowed_cidrs: self.wanted.allowed_cidrs.clone(),
                timeouts: self.wanted.timeouts,
                pool: reference,
            }),
        }
    }

    fn update_pool(&self, pool: &Pool, changes: &mut Vec<Change>) {
        let again = pool.provisioning == Provisioning::Error;
        let sticky = pool.persistence.is_some();
        let foreign = pool.persistence.as_deref().is_some_and(|kind| kind != "SOURCE_IP");
        let algorithm = Some(self.wanted.algorithm).filter(|wanted| again || pool.algorithm != Some(*wanted));
        let sticky = Some(self.wanted.sticky).filter(|wanted| again || foreign || sticky != *wanted);
        let refused = Some(&self.wanted.refused).filter(|wanted| pool.refused != **wanted).cloned();
        if algorithm.is_some() || sticky.is_some() || refused.is_some() {
            let (id, front) = (pool.id.clone(), self.port);
            changes.push(Change::UpdatePool { id, front, algorithm, sticky, refused });
        }
    }

    fn update_listener(&self, listener: &Listener, pool: PoolReference, changes: &mut Vec<Change>) {
        let again = listener.provisioning == Provisioning::Error;
        let idle = self.wanted.timeouts.map(|timeouts| timeouts.idle);
        let connect = self.wanted.timeouts.map(|timeouts| timeouts.connect);
        let leads = matches!(&pool, PoolReference::Existing(id) if listener.pool.as_ref() == Some(id));
        let idle_timeout = idle.filter(|wanted| {
            again || listener.timeout_client_data != *wanted || listener.timeout_member_data != *wanted
        });
        let connect_timeout = connect.filter(|wanted| again || listener.timeout_member_connect != *wanted);
        let pool = Some(pool).filter(|_| again || !leads);
        let spelt: BTreeSet<String> = self.wanted.allowed_cidrs.iter().map(ToString::to_string).collect();
        let allowed_cidrs =
            Some(&self.wanted.allowed_cidrs).filter(|_| listener.allowed_cidrs != spelt).cloned();
        let differs = idle_timeout.is_some() || connect_timeout.is_some() || allowed_cidrs.is_some();
        if differs || pool.is_some() {
            changes.push(Change::UpdateListener {
                id: listener.id.clone(),
                front: self.port,
                idle_timeout,
                connect_timeout,
                allowed_cidrs,
                pool,
            });
        }
    }
}

//! How to reach a cloud, embedded or real.

/// What a scenario needs to know of a cloud.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Keystone's URL.
    pub keystone: String,
    /// An ordinary user of the project.
    pub username: String,
    /// That user's password.
    pub password: String,
    /// The project.
    pub project: String,
    /// The domain of user and project, by name.
    pub domain: String,
    /// The region.
    pub region: String,
    /// The subnet for VIPs, by name.
    pub subnet: String,
    /// The external network, by name.
    pub external_network: String,
}

impl Access {
    /// What `credential-get --format=json` tells of this cloud.
    pub fn juju_credential(&self) -> serde_json::Value {
        serde_json::json!({
            "type": "openstack",
            "name": "stack",
            "region": self.region,
            "endpoint": self.keystone,
            "credential": {"auth-type": "userpass", "attrs": {
                "username": self.username,
                "password": self.password,
                "tenant-name": self.project,
                "user-domain-name": self.domain,
                "project-domain-name": self.domain,
                "version": "3",
            }},
        })
    }
}

//! How we prove to Keystone who we are.
//!
//! Nothing here can be printed or serialised by accident: what is secret is a [`SecretString`].

use secrecy::SecretString;

/// All that a session needs to log in to one cloud.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// Keystone's URL, with or without `/v3`.
    pub auth_url: String,
    /// The region whose services are used; none takes the catalogue's only one.
    pub region: Option<String>,
    /// Who we are.
    pub identity: Identity,
    /// Certificates in PEM that are trusted beside the system's own.
    pub certificates: Vec<String>,
    /// Juju's cloud definition says that certificates are not to be verified.
    pub skip_tls_verify: bool,
}

/// The two kinds of login.
#[derive(Debug, Clone)]
pub enum Identity {
    /// A user's name or id and password, scoped to a project.
    Password {
        /// The user.
        user: Named,
        /// The user's password.
        password: SecretString,
        /// The project that the token is for.
        project: Named,
    },
    /// An application credential, which carries its project by itself.
    ApplicationCredential {
        /// Which one.
        credential: ApplicationCredential,
        /// Its secret.
        secret: SecretString,
    },
}

/// An application credential by id, or by name and user.
#[derive(Debug, Clone)]
pub enum ApplicationCredential {
    /// By id.
    Id(String),
    /// By its name, which is unique for one user only.
    Name {
        /// The credential's name.
        name: String,
        /// Whose it is.
        user: Named,
    },
}

/// A user or a project: by id, or by a name that is unique in a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// By id.
    Id(String),
    /// By name in a domain.
    Name {
        /// The name.
        name: String,
        /// The domain that makes it unique.
        domain: Domain,
    },
}

/// A domain by id or name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Domain {
    /// By id, such as `default`.
    Id(String),
    /// By name, such as `Default`.
    Name(String),
}

//! Users, their roles, and what they log in with.

use std::collections::BTreeMap;
use std::time::SystemTime;

/// Who is who.
#[derive(Debug, Default)]
pub(in super::super) struct Accounts {
    pub(in super::super) users: Vec<User>,
    pub(in super::super) credentials: Vec<Credential>,
    tokens: BTreeMap<String, Token>,
    revoked: Vec<String>,
}

/// A user and their project.
#[derive(Debug, Clone)]
pub(in super::super) struct User {
    pub(in super::super) name: String,
    pub(in super::super) id: String,
    pub(in super::super) password: String,
    pub(in super::super) project: String,
    pub(in super::super) project_id: String,
    /// With those that they imply.
    pub(in super::super) roles: Vec<String>,
}

/// An application credential.
#[derive(Debug, Clone)]
pub(in super::super) struct Credential {
    pub(in super::super) id: String,
    pub(in super::super) name: String,
    pub(in super::super) secret: String,
    pub(in super::super) user_id: String,
    pub(in super::super) roles: Vec<String>,
}

/// A token and whose it is.
#[derive(Debug, Clone)]
pub(in super::super) struct Token {
    pub(in super::super) methods: Vec<String>,
    pub(in super::super) user: User,
    /// The project's id; empty for a token without a scope.
    pub(in super::super) project: String,
    pub(in super::super) roles: Vec<String>,
    pub(in super::super) credential: Option<Credential>,
    pub(in super::super) issued: SystemTime,
    pub(in super::super) expires: SystemTime,
}

impl Token {
    pub(in super::super) fn has_role(&self, role: &str) -> bool {
        self.roles.iter().any(|own| own == role)
    }

    pub(in super::super) fn is_admin(&self) -> bool {
        self.has_role("admin")
    }
}

impl Accounts {
    pub(in super::super) fn user(&self, name: &str) -> Option<&User> {
        self.users.iter().find(|user| user.name == name)
    }

    /// A token that is valid now.
    pub(in super::super) fn token(&self, id: &str) -> Option<&Token> {
        self.tokens.get(id).filter(|token| token.expires > SystemTime::now())
    }

    pub(super) fn issue(&mut self, id: String, token: Token) {
        self.tokens.insert(id, token);
    }

    pub(super) fn was_issued(&self, id: &str) -> bool {
        self.tokens.contains_key(id) || self.revoked.iter().any(|revoked| revoked == id)
    }

    pub(super) fn revoke(&mut self, id: &str) {
        if self.tokens.remove(id).is_some() {
            self.revoked.push(id.to_owned());
        }
    }

    pub(in super::super) fn revoke_all(&mut self) {
        self.revoked.extend(std::mem::take(&mut self.tokens).into_keys());
    }

    /// A credential that is deleted; the services go on to accept tokens made with it (recorded: their middleware
    /// remembers them).
    pub(super) fn forget(&mut self, credential: &str) {
        self.credentials.retain(|one| one.id != credential);
    }
}

/// A role and those that it implies (`keystone/cmd/bootstrap.py`: admin implies manager, member and reader).
pub(in super::super) fn with_implied(roles: &[&str]) -> Vec<String> {
    let implied: &[&str] = match roles {
        _ if roles.contains(&"admin") => &["manager", "member", "reader"],
        _ if roles.contains(&"member") => &["reader"],
        _ => &[],
    };
    roles.iter().chain(implied).map(|role| (*role).to_owned()).collect()
}

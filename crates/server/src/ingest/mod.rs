//! How data gets in: into the store by a publication, and from the store into the catalog.

pub mod catalog;
pub mod made_up;

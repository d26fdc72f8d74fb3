//! The words of parameters.

/// An enumeration whose members have a word that programs see.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$member_doc])* $member),*
        }

        impl $name {
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$member),*];

            /// The word that programs see.
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$member => $word),*
                }
            }

            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|member| member.id() == word)
            }
        }
    };
}
pub(crate) use words;

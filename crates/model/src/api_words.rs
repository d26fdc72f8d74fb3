//! Enumerations whose members are words of the API.

/// Defines an enumeration whose members each have a word in the API.
#[macro_export]
macro_rules! api_words {
    ($(#[$doc:meta])* $name:ident { $($(#[$member_doc:meta])* $member:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$member_doc])* $member),*
        }

        impl $name {
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$member),*];

            /// The word used in the API.
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

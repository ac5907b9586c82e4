//! The closed vocabularies of evidence, open to what later versions add.

/// Declares an enum over snake_case strings. An unknown string becomes `Unrecognized` and is written back unchanged; a
/// value that is no string is an error.
macro_rules! tags {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $tag:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$vmeta])* $variant,)+
            /// A tag that this version does not know.
            Unrecognized(String),
        }

        impl $name {
            /// Every tag this version knows.
            pub const KNOWN: &'static [$name] = &[$($name::$variant),+];

            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $tag,)+
                    $name::Unrecognized(tag) => tag,
                }
            }
        }

        impl From<&str> for $name {
            fn from(tag: &str) -> $name {
                match tag {
                    $($tag => $name::$variant,)+
                    other => $name::Unrecognized(other.to_owned()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                Ok($name::from(<std::borrow::Cow<str> as serde::Deserialize>::deserialize(deserializer)?.as_ref()))
            }
        }
    };
}
pub(crate) use tags;

tags! {
    /// What kind of observation a payload holds.
    EvidenceKind {
        ExitCode = "exit_code",
        ToolResult = "tool_result",
        FileDiff = "file_diff",
        ProcessObservation = "process_observation",
        TranscriptExcerpt = "transcript_excerpt",
    }
}

tags! {
    /// How far an observation can be trusted: who measured it. Classes have no order.
    TrustClass {
        /// The client's own account of what happened, not independently measured.
        AgentAdjacent = "agent_adjacent",
        /// Measured by deeds itself on this host.
        HostObserved = "host_observed",
        /// A system outside both agent and host.
        IndependentExternal = "independent_external",
        /// Confirmed or entered by a person.
        HumanReviewed = "human_reviewed",
        /// The model's own internals.
        ModelInternal = "model_internal",
    }
}

tags! {
    /// How an observation was made; an axis of its own beside [`TrustClass`].
    CollectionMethod {
        HookCallback = "hook_callback",
        FilePoll = "file_poll",
        HttpWebhook = "http_webhook",
        ProcessObservation = "process_observation",
        Reconstructed = "reconstructed",
        /// The record is older than this field: no sensor declared a method.
        PreProvenance = "pre_provenance",
    }
}

tags! {
    /// Which clock a time came from.
    ClockSource {
        HostClock = "host_clock",
        ProviderReported = "provider_reported",
        Reconstructed = "reconstructed",
        /// The record is older than this field.
        PreProvenance = "pre_provenance",
    }
}

// The derive cannot reach into the macro.
#[allow(clippy::derivable_impls)]
impl Default for CollectionMethod {
    fn default() -> Self {
        CollectionMethod::PreProvenance
    }
}

// The derive cannot reach into the macro.
#[allow(clippy::derivable_impls)]
impl Default for ClockSource {
    fn default() -> Self {
        ClockSource::PreProvenance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_tag_reads_back_as_itself() {
        for kind in EvidenceKind::KNOWN {
            assert_eq!(&EvidenceKind::from(kind.as_str()), kind);
        }
        for class in TrustClass::KNOWN {
            assert_eq!(&TrustClass::from(class.as_str()), class);
        }
        for method in CollectionMethod::KNOWN {
            assert_eq!(&CollectionMethod::from(method.as_str()), method);
        }
        for clock in ClockSource::KNOWN {
            assert_eq!(&ClockSource::from(clock.as_str()), clock);
        }
    }
}

//! Enums told apart by one string member, with a last variant that keeps what it does not know.

/// Declares such an enum.
///
/// Serialising writes the tag first, then the fields of the variant. Deserialising reads the tag
/// from the text and then the variant from the same text, so that raw JSON inside a variant keeps
/// its bytes (serde's own internally tagged enums buffer and lose it).
macro_rules! tagged_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident by $tag:literal {
            $( $(#[$vmeta:meta])* $variant:ident($body:ty) = $word:literal, )+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, serde::Serialize)]
        #[serde(tag = $tag)]
        pub enum $name {
            $( $(#[$vmeta])* #[serde(rename = $word)] $variant($body), )+
            /// Anything else, kept to the letter.
            #[serde(untagged)]
            Unknown(Box<serde_json::value::RawValue>),
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                #[derive(serde::Deserialize)]
                struct Tag<'a> {
                    #[serde(rename = $tag, borrow)]
                    tag: Option<std::borrow::Cow<'a, str>>,
                }
                let raw = <Box<serde_json::value::RawValue>>::deserialize(from)?;
                let tag = match crate::tagged::first_member(raw.get(), $tag) {
                    Some(word) => Some(std::borrow::Cow::Borrowed(word)),
                    None => {
                        serde_json::from_str::<Tag<'_>>(raw.get())
                            .map_err(serde::de::Error::custom)?
                            .tag
                    }
                };
                match tag.as_deref() {
                    $( Some($word) => {
                        let mut body = serde_json::from_str::<$body>(raw.get())
                            .map_err(serde::de::Error::custom)?;
                        // To the variant the tag is an unknown field, which would be written twice.
                        body.extra.shift_remove($tag);
                        Ok($name::$variant(body))
                    } )+
                    _ => Ok($name::Unknown(raw)),
                }
            }
        }

        $( impl From<$body> for $name {
            fn from(body: $body) -> Self {
                $name::$variant(body)
            }
        } )+
    };
}

pub(crate) use tagged_enum;

/// Returns the text of a member if it is the first of an object and stands without spaces, as Deed
/// and Pi write the tag: no search through a text of megabytes for what is in front.
pub(crate) fn first_member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let rest = object.strip_prefix("{\"")?.strip_prefix(name)?;
    let (word, _) = rest.strip_prefix("\":\"")?.split_once('"')?;
    (!word.contains('\\')).then_some(word)
}

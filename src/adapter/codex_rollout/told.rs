//! Fields as a client told them: of the right type, or not told. A field of another type is no reason to lose the line.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A string; anything else is not told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Text<'a>(pub Option<Cow<'a, str>>);

impl<'a> Text<'a> {
    pub fn as_str(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The text, unless it is empty.
    pub fn some(self) -> Option<Cow<'a, str>> {
        self.0.filter(|text| !text.is_empty())
    }
}

/// A whole number; anything else is not told.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Number(pub Option<i64>);

/// A truth value; anything else is not told.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Flag(pub Option<bool>);

/// A list of strings, or one string; what is neither is not told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Words(pub Vec<String>);

/// `{"secs","nanos"}` in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Millis(pub Option<u64>);

macro_rules! not_told {
    ($($name:ident: $type:ty),*) => {$(
        fn $name<E>(self, _: $type) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    )*};
}

macro_rules! no_containers {
    () => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_string<E>(self, text: String) -> Result<Text<'de>, E> {
        Ok(Text(Some(Cow::Owned(text))))
    }

    fn visit_unit<E>(self) -> Result<Text<'de>, E> {
        Ok(Text::default())
    }

    not_told!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);
    no_containers!();
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TextVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
        Ok(Number(Some(number)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
        Ok(Number(i64::try_from(number).ok()))
    }

    fn visit_unit<E>(self) -> Result<Number, E> {
        Ok(Number(None))
    }

    not_told!(visit_bool: bool, visit_f64: f64, visit_str: &str);
    no_containers!();
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(NumberVisitor)
    }
}

struct FlagVisitor;

impl<'de> Visitor<'de> for FlagVisitor {
    type Value = Flag;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true or false")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Flag, E> {
        Ok(Flag(Some(flag)))
    }

    fn visit_unit<E>(self) -> Result<Flag, E> {
        Ok(Flag(None))
    }

    not_told!(visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
    no_containers!();
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(FlagVisitor)
    }
}

struct WordsVisitor;

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = Words;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of strings")
    }

    fn visit_str<E>(self, text: &str) -> Result<Words, E> {
        Ok(Words(vec![text.to_owned()]))
    }

    fn visit_unit<E>(self) -> Result<Words, E> {
        Ok(Words::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Words, A::Error> {
        let mut words = Vec::new();
        let mut whole = true;
        while let Some(word) = seq.next_element::<Text<'de>>()? {
            match word.0 {
                Some(word) => words.push(word.into_owned()),
                None => whole = false,
            }
        }
        Ok(if whole { Words(words) } else { Words::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Words, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Words::default())
    }

    not_told!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(WordsVisitor)
    }
}

struct MillisVisitor;

impl<'de> Visitor<'de> for MillisVisitor {
    type Value = Millis;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("seconds and nanoseconds")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Millis, A::Error> {
        let (mut secs, mut nanos) = (None, None);
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match key.as_str() {
                Some("secs") => secs = map.next_value::<Number>()?.0,
                Some("nanos") => nanos = map.next_value::<Number>()?.0,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let secs = secs.and_then(|secs| u64::try_from(secs).ok());
        let millis = nanos.and_then(|nanos| u64::try_from(nanos).ok()).unwrap_or(0) / 1_000_000;
        Ok(Millis(secs.and_then(|secs| secs.checked_mul(1000)?.checked_add(millis))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Millis, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Millis(None))
    }

    fn visit_unit<E>(self) -> Result<Millis, E> {
        Ok(Millis(None))
    }

    not_told!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(MillisVisitor)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct All<'a> {
        #[serde(borrow)]
        text: Text<'a>,
        number: Number,
        flag: Flag,
        words: Words,
        millis: Millis,
    }

    #[test]
    fn a_field_of_the_right_type_is_told() {
        let json = r#"{"text":"a\nb","number":-3,"flag":true,"words":["x","y"],"millis":{"secs":1,"nanos":5000000}}"#;
        let all: All<'_> = serde_json::from_str(json).unwrap();
        assert_eq!(all.text.as_str(), Some("a\nb"));
        assert_eq!((all.number.0, all.flag.0, all.millis.0), (Some(-3), Some(true), Some(1005)));
        assert_eq!(all.words.0, ["x", "y"]);
    }

    #[test]
    fn a_field_of_any_other_type_is_not_told_and_costs_nothing_else() {
        for other in ["null", "1.5", "[]", "{}", "[{\"a\":[1]}]", "{\"a\":{\"b\":1}}", "18446744073709551615"] {
            let json =
                format!(r#"{{"text":{other},"number":{other},"flag":{other},"words":{other},"millis":{other}}}"#);
            assert_eq!(serde_json::from_str::<All<'_>>(&json).unwrap(), All::default(), "{other}");
        }
        assert_eq!(serde_json::from_str::<All<'_>>(r#"{"number":"7","flag":"true"}"#).unwrap(), All::default());
    }
}

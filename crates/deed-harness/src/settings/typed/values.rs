//! What holds, by path; that the types fit was checked when the files were read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use super::kinds::LayeredPaths;
use crate::settings::effective::{EffectiveSetting, Layer};

pub(crate) struct Values<'e>(pub(crate) &'e [EffectiveSetting]);

/// A word that stands for a value.
pub(crate) trait Worded: Default + Copy + 'static {
    /// The words and what they stand for.
    const WORDS: &'static [(&'static str, Self)];
}

impl<'e> Values<'e> {
    fn get(&self, path: &str) -> Option<&'e Value> {
        let found = self.0.iter().find(|setting| setting.key.path == path);
        found?.value.as_ref()
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        self.get(path)?.as_str().map(str::to_owned)
    }

    pub(crate) fn flag(&self, path: &str) -> bool {
        let flag = self.get(path).and_then(Value::as_bool);
        flag.unwrap_or_default()
    }

    pub(crate) fn optional(&self, path: &str) -> Option<u64> {
        self.get(path)?.as_u64()
    }

    /// The table keeps numbers within what the type holds.
    pub(crate) fn count<N: TryFrom<u64> + Default>(&self, path: &str) -> N {
        self.optional(path)
            .and_then(Self::narrow)
            .unwrap_or_default()
    }

    pub(crate) fn narrow<N: TryFrom<u64>>(count: u64) -> Option<N> {
        N::try_from(count).ok()
    }

    pub(crate) fn duration(&self, path: &str) -> Duration {
        Duration::from_millis(self.count(path))
    }

    pub(crate) fn amount(&self, path: &str) -> Option<f64> {
        self.get(path)?.as_f64()
    }

    pub(crate) fn word<W: Worded>(&self, path: &str) -> W {
        let word = self.get(path).and_then(Value::as_str).unwrap_or_default();
        let mut words = W::WORDS.iter();
        let found = words.find(|(own, _)| *own == word);
        found.map(|(_, meaning)| *meaning).unwrap_or_default()
    }

    pub(crate) fn texts(&self, path: &str) -> Vec<String> {
        texts_in(self.get(path)).map(str::to_owned).collect()
    }

    pub(crate) fn paths(&self, path: &str) -> Vec<PathBuf> {
        texts_in(self.get(path)).map(PathBuf::from).collect()
    }

    pub(crate) fn layered_paths(&self, path: &str) -> LayeredPaths {
        let setting = self.0.iter().find(|setting| setting.key.path == path);
        let of = |layer| {
            let given = setting.and_then(|setting| setting.given_by(layer));
            texts_in(given).map(PathBuf::from).collect()
        };
        LayeredPaths {
            project: of(Layer::Project),
            user: of(Layer::User),
        }
    }

    pub(crate) fn object(&self, path: &str) -> Map<String, Value> {
        let object = self.get(path).and_then(Value::as_object);
        object.cloned().unwrap_or_default()
    }

    pub(crate) fn texts_by_name(&self, path: &str) -> BTreeMap<String, String> {
        let members = self.object(path).into_iter();
        members
            .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())))
            .collect()
    }
}

fn texts_in(list: Option<&Value>) -> impl Iterator<Item = &str> {
    let items = list.and_then(Value::as_array);
    let items = items.map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str)
}

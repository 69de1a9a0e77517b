//! An object of which more than one thing is asked.

use super::{Place, Value};
use std::cell::OnceCell;

/// An object whose fields are found in one walk, when the first of them is asked for.
pub struct Object<'a> {
    value: Value<'a>,
    places: OnceCell<Vec<Place>>,
}

/// Most objects have no more fields.
const FIELDS: usize = 16;

impl<'a> Object<'a> {
    /// The object that `value` is. Any other value is one without fields.
    #[must_use]
    pub fn new(value: Value<'a>) -> Self {
        Self { value, places: OnceCell::new() }
    }

    /// The value itself.
    #[must_use]
    pub fn value(&self) -> Value<'a> {
        self.value
    }

    /// What [`Value::get`] would give.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        let places = self.places.get_or_init(|| {
            let mut fields = self.value.fields();
            let mut places = Vec::with_capacity(FIELDS);
            places.extend(std::iter::from_fn(|| fields.place()));
            places
        });
        let place = places.iter().rfind(|place| *place.key(self.value) == *key.as_bytes())?;
        Some(place.value(self.value)).filter(|value| !value.is_null())
    }
}

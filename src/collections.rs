//! A sort and a map that are compiled once. The standard ones are compiled anew for every type they
//! hold, 8 kB a sort and 6 kB a map: in a page that is time spent loading. Here the work is done on
//! numbers, and only the moving of the items depends on their type.

use indexmap::IndexSet;
use std::cmp::Ordering;

/// Sorts `items`; those that compare equal keep their order. In time n log n.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order = sorted_order(items.len(), &mut |one, other| match (items.get(one), items.get(other)) {
        (Some(one), Some(other)) => compare(one, other),
        _ => Ordering::Equal,
    });
    // Each cycle of the permutation is walked once: an item that is in place is its own successor.
    for start in 0..order.len() {
        let mut place = start;
        while let Some(successor) = order.get_mut(place) {
            let next = std::mem::replace(successor, place);
            if next == start || next >= items.len() {
                break;
            }
            items.swap(place, next);
            place = next;
        }
    }
}

/// [`sort_by`] the natural order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, Ord::cmp);
}

/// The order in which the places below `count` are sorted, by merging from below.
fn sorted_order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut merged = Vec::with_capacity(count);
    let mut width = 1;
    while width < count {
        for pair in order.chunks(width * 2) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
            while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
                let first = if compare(**one, **other).is_gt() { &mut right } else { &mut left };
                merged.extend(first.next());
            }
            merged.extend(left);
            merged.extend(right);
        }
        std::mem::swap(&mut order, &mut merged);
        merged.clear();
        width *= 2;
    }
    order
}

/// A map of strings that is gone through in the order in which the keys came.
#[derive(Debug, Clone)]
pub struct StringMap<V> {
    keys: IndexSet<String>,
    /// The value of each key, in the keys' order.
    values: Vec<V>,
}

impl<V> Default for StringMap<V> {
    fn default() -> Self {
        StringMap { keys: IndexSet::new(), values: Vec::new() }
    }
}

impl<V> StringMap<V> {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.values.get(self.keys.get_index_of(key)?)
    }

    /// The value of `key`, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.values.get_mut(self.keys.get_index_of(key)?)
    }

    /// Whether `key` has a value.
    pub fn contains(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Gives `key` a value in place of the one it had; true when it had none.
    pub fn insert(&mut self, key: &str, value: V) -> bool {
        match self.get_mut(key) {
            Some(known) => {
                *known = value;
                false
            }
            None => {
                self.keys.insert(key.to_owned());
                self.values.push(value);
                true
            }
        }
    }

    /// What `change` makes of the value of `key`, which is `V::default()` when it had none.
    pub fn change<R>(&mut self, key: &str, change: impl FnOnce(&mut V) -> R) -> R
    where
        V: Default,
    {
        if let Some(value) = self.get_mut(key) {
            return change(value);
        }
        let mut value = V::default();
        let changed = change(&mut value);
        self.insert(key, value);
        changed
    }

    /// Takes `key` out; the last key takes its place in the order.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        let (place, _) = self.keys.swap_remove_full(key)?;
        (place < self.values.len()).then(|| self.values.swap_remove(place))
    }

    /// Keeps the keys that `keep` answers true for, in their order.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &V) -> bool) {
        let mut kept = StringMap::default();
        for (key, value) in std::mem::take(&mut self.keys).into_iter().zip(self.values.drain(..)) {
            if keep(&key, &value) {
                kept.keys.insert(key);
                kept.values.push(value);
            }
        }
        *self = kept;
    }

    /// Takes every key out.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// True without any key.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The keys with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.keys().zip(&self.values)
    }

    /// The keys, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(String::as_str)
    }
}

impl<S: AsRef<str>> FromIterator<S> for StringMap<()> {
    /// The set of `keys`.
    fn from_iter<I: IntoIterator<Item = S>>(keys: I) -> Self {
        let mut set = StringMap::default();
        for key in keys {
            set.insert(key.as_ref(), ());
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn the_sort_is_the_standard_one(items in prop::collection::vec((0u8..8, any::<u16>()), 0..200)) {
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_by(&mut ours, |one, other| one.0.cmp(&other.0));
            theirs.sort_by_key(|one| one.0);
            prop_assert_eq!(&ours, &theirs);
            sort(&mut ours);
            theirs.sort();
            prop_assert_eq!(ours, theirs);
        }

        #[test]
        fn the_map_agrees_with_the_standard_one(steps in prop::collection::vec((0u8..4, "[ab]{0,2}", any::<u8>()), 0..60)) {
            let mut ours = StringMap::default();
            let mut theirs = BTreeMap::new();
            for (step, key, value) in steps {
                match step {
                    0 => prop_assert_eq!(ours.remove(&key), theirs.remove(&key)),
                    1 => {
                        let change = |held: &mut u8| { *held = held.wrapping_add(value); *held };
                        prop_assert_eq!(ours.change(&key, change), change(theirs.entry(key.clone()).or_default()));
                    }
                    _ => prop_assert_eq!(ours.insert(&key, value), theirs.insert(key.clone(), value).is_none()),
                }
                prop_assert_eq!(ours.get(&key), theirs.get(&key));
                prop_assert_eq!(ours.contains(&key), theirs.contains_key(&key));
            }
            let mut keys: Vec<&str> = ours.keys().collect();
            sort(&mut keys);
            prop_assert_eq!(keys, theirs.keys().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_order_that_contradicts_itself_loses_no_item() {
        let mut items: Vec<usize> = (0..100).collect();
        let mut turn = 0;
        sort_by(&mut items, |_, _| {
            turn += 1;
            [Ordering::Less, Ordering::Greater, Ordering::Equal][turn % 3]
        });
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn keys_come_in_the_order_they_were_given() {
        let mut map = StringMap::default();
        for (place, key) in ["c", "a", "b", "a"].into_iter().enumerate() {
            map.insert(key, place);
        }
        assert_eq!(map.iter().collect::<Vec<_>>(), [("c", &0), ("a", &3), ("b", &2)]);
        map.retain(|key, place| key != "c" && *place < 9);
        assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert!(map.insert("c", 7) && map.get("b") == Some(&2) && map.get("a") == Some(&3));
        map.clear();
        assert!(map.is_empty() && !map.contains("a"));
    }
}

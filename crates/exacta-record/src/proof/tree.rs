//! A map from every record to its hash, kept as a tree: the root says what all records are, and a few nodes prove one.
//!
//! The last entry of every change carries the root, so the head of the log vouches for each single record. The nodes are
//! stored where anybody may have changed them: none is believed that does not hash to what the node above it says.
//!
//! A node is named by the first digits of the keys below it. Up to [`LISTED`] keys it lists them with their values; beyond
//! that it holds the hashes of sixteen nodes, one for each next digit. Keys are never taken out, so the same records give
//! the same tree in whatever order they came.

use crate::error::{RecordError, index_changed};
use exacta_kernel::hash::Digest;
use std::collections::BTreeMap;

/// How many keys a node lists before it is split.
const LISTED: usize = 16;

/// The root of a tree with nothing in it, and the hash of a node that is not there.
pub const EMPTY: Digest = Digest::from_bytes([0; 32]);

/// Where the nodes of a tree are. What it answers is not believed until it is hashed.
pub trait Nodes {
    /// The node of this name, if there is one.
    fn node(&self, path: &str) -> Result<Option<Vec<u8>>, RecordError>;

    /// Puts a node in its place.
    fn put_node(&self, path: &str, node: &[u8]) -> Result<(), RecordError>;
}

/// The tree of all records, as its root says it is.
#[derive(Debug)]
pub struct RecordTree<N> {
    nodes: N,
    root: Digest,
}

/// A part of the map.
#[derive(Debug, PartialEq, Eq)]
enum Node {
    /// Keys and values.
    List(BTreeMap<Digest, Digest>),
    /// The hashes of the nodes below, by the next digit.
    Fork(Box<[Digest; 16]>),
}

impl<N: Nodes> RecordTree<N> {
    /// The map with this root.
    pub const fn new(nodes: N, root: Digest) -> Self {
        Self { nodes, root }
    }

    /// What vouches for all of it.
    pub const fn root(&self) -> Digest {
        self.root
    }

    /// The value of a name; `None` if it has none, which is as certain.
    pub fn get(&self, name: &str) -> Result<Option<Digest>, RecordError> {
        let key = Digest::of(name.as_bytes());
        let (mut path, mut hash) = (String::new(), self.root);
        for digit in digits(&key) {
            match self.load(&path, hash)? {
                Node::List(list) => return Ok(list.get(&key).copied()),
                Node::Fork(below) => hash = below.get(digit).copied().unwrap_or(EMPTY),
            }
            path.push(letter(digit));
        }
        Ok(None)
    }

    /// Gives a name a value.
    pub fn set(&mut self, name: &str, value: Digest) -> Result<(), RecordError> {
        self.root = self.put(&mut String::new(), self.root, Digest::of(name.as_bytes()), value)?;
        Ok(())
    }

    /// Puts a value into the node of this name and hash; its hash then.
    fn put(&self, path: &mut String, hash: Digest, key: Digest, value: Digest) -> Result<Digest, RecordError> {
        let node = match self.load(path, hash)? {
            Node::List(mut list) => {
                list.insert(key, value);
                if list.len() > LISTED { self.split(path, list)? } else { Node::List(list) }
            }
            Node::Fork(mut below) => {
                let digit = digits(&key).nth(path.len()).unwrap_or_default();
                if let Some(slot) = below.get_mut(digit) {
                    path.push(letter(digit));
                    *slot = self.put(path, *slot, key, value)?;
                    path.pop();
                }
                Node::Fork(below)
            }
        };
        self.save(path, &node)
    }

    /// A node that forks into nodes with these keys.
    fn split(&self, path: &mut String, list: BTreeMap<Digest, Digest>) -> Result<Node, RecordError> {
        let mut below = Box::new([EMPTY; 16]);
        for (digit, list) in by_digit(list, path.len()) {
            if let Some(slot) = below.get_mut(digit) {
                path.push(letter(digit));
                let node = if list.len() > LISTED { self.split(path, list)? } else { Node::List(list) };
                *slot = self.save(path, &node)?;
                path.pop();
            }
        }
        Ok(Node::Fork(below))
    }

    /// INVARIANT: a node is used only if it hashes to what the node above it, or the log, says.
    fn load(&self, path: &str, hash: Digest) -> Result<Node, RecordError> {
        if hash == EMPTY {
            return Ok(Node::List(BTreeMap::new()));
        }
        let found = self.nodes.node(path)?;
        let node = found.filter(|bytes| Digest::of(bytes) == hash).and_then(|bytes| Node::parse(&bytes));
        node.ok_or_else(|| index_changed("its tree of records is not the one the log was written with"))
    }

    fn save(&self, path: &str, node: &Node) -> Result<Digest, RecordError> {
        let bytes = node.bytes();
        self.nodes.put_node(path, &bytes)?;
        Ok(Digest::of(&bytes))
    }
}

/// The root and all nodes of the map with these values, to compare with what is stored.
pub fn build(values: &[(String, Digest)]) -> (Digest, BTreeMap<String, Vec<u8>>) {
    let mut nodes = BTreeMap::new();
    let list: BTreeMap<Digest, Digest> =
        values.iter().map(|(name, value)| (Digest::of(name.as_bytes()), *value)).collect();
    let root = if list.is_empty() { EMPTY } else { build_node(&mut String::new(), list, &mut nodes) };
    (root, nodes)
}

fn build_node(path: &mut String, list: BTreeMap<Digest, Digest>, nodes: &mut BTreeMap<String, Vec<u8>>) -> Digest {
    let node = if list.len() > LISTED {
        let mut below = Box::new([EMPTY; 16]);
        for (digit, list) in by_digit(list, path.len()) {
            if let Some(slot) = below.get_mut(digit) {
                path.push(letter(digit));
                *slot = build_node(path, list, nodes);
                path.pop();
            }
        }
        Node::Fork(below)
    } else {
        Node::List(list)
    };
    let bytes = node.bytes();
    let hash = Digest::of(&bytes);
    nodes.insert(path.clone(), bytes);
    hash
}

impl Node {
    fn bytes(&self) -> Vec<u8> {
        let (kind, digests): (u8, Vec<&Digest>) = match self {
            Self::List(list) => (0, list.iter().flat_map(|(key, value)| [key, value]).collect()),
            Self::Fork(below) => (1, below.iter().collect()),
        };
        core::iter::once(kind).chain(digests.into_iter().flat_map(|digest| *digest.as_bytes())).collect()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.split_first()?;
        let digests: Option<Vec<Digest>> =
            rest.chunks(32).map(|chunk| Some(Digest::from_bytes(chunk.try_into().ok()?))).collect();
        let digests = digests?;
        match kind {
            0 => {
                let pairs = digests.chunks(2).map(|pair| Some((*pair.first()?, *pair.get(1)?)));
                pairs.collect::<Option<_>>().map(Self::List)
            }
            1 => digests.try_into().ok().map(Self::Fork),
            _ => None,
        }
    }
}

/// Keys by the digit at a place.
fn by_digit(list: BTreeMap<Digest, Digest>, place: usize) -> BTreeMap<usize, BTreeMap<Digest, Digest>> {
    let mut groups: BTreeMap<usize, BTreeMap<Digest, Digest>> = BTreeMap::new();
    for (key, value) in list {
        groups.entry(digits(&key).nth(place).unwrap_or_default()).or_default().insert(key, value);
    }
    groups
}

fn digits(key: &Digest) -> impl Iterator<Item = usize> {
    key.as_bytes().iter().flat_map(|byte| [usize::from(byte >> 4), usize::from(byte & 15)])
}

fn letter(digit: usize) -> char {
    u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 16)).unwrap_or('-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Nodes in memory, which anybody can change.
    #[derive(Default)]
    struct Memory(RefCell<BTreeMap<String, Vec<u8>>>);

    impl Nodes for &Memory {
        fn node(&self, path: &str) -> Result<Option<Vec<u8>>, RecordError> {
            Ok(self.0.borrow().get(path).cloned())
        }

        fn put_node(&self, path: &str, node: &[u8]) -> Result<(), RecordError> {
            self.0.borrow_mut().insert(path.to_owned(), node.to_owned());
            Ok(())
        }
    }

    /// Whatever the order, the same names and values give the same tree; each is found, and nothing else is.
    #[test]
    fn a_tree_grown_is_the_tree_built() {
        let memory = Memory::default();
        let mut tree = RecordTree::new(&memory, EMPTY);
        let value = |n: u32| Digest::of(&n.to_be_bytes());
        let mut values = Vec::new();
        for n in 0..2_000_u32 {
            values.push((format!("{}", (n * 977) % 2_003), value(n)));
            let (name, value) = values.last().unwrap();
            assert_eq!(tree.get(name).unwrap(), None);
            tree.set(name, *value).unwrap();
            assert_eq!(tree.get(name).unwrap(), Some(*value));
        }
        tree.set("7", value(1 << 20)).unwrap();
        values.push(("7".to_owned(), value(1 << 20)));
        let (root, nodes) = build(&values);
        assert_eq!(root, tree.root());
        assert_eq!(*memory.0.borrow(), nodes);
        for (path, node) in &nodes {
            let mut changed = node.clone();
            *changed.last_mut().unwrap() ^= 1;
            (&memory).put_node(path, &changed).unwrap();
            let below = (0..2_003)
                .map(|n| n.to_string())
                .find(|name| Digest::of(name.as_bytes()).to_string().starts_with(path));
            assert!(below.is_none_or(|name| tree.get(&name).is_err()), "{path}");
            (&memory).put_node(path, node).unwrap();
        }
    }
}

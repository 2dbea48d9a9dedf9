//! The Merkle tree of RFC 6962: leaves are hashed behind a zero byte, nodes behind a one, so that neither passes for the other.

use crate::hash::Digest;
use crate::prelude::*;
use sha2::{Digest as _, Sha256};

/// The hash of a leaf.
#[must_use]
pub fn leaf_hash(data: &[u8]) -> Digest {
    let mut hasher = Sha256::new();
    hasher.update([0]);
    hasher.update(data);
    Digest::from_bytes(hasher.finalize().into())
}

/// The hash of a node above two others.
#[must_use]
pub fn node_hash(left: &Digest, right: &Digest) -> Digest {
    let mut block = [1_u8; 65];
    let (_, children) = block.split_at_mut(1);
    let both = left.as_bytes().iter().chain(right.as_bytes());
    children.iter_mut().zip(both).for_each(|(slot, byte)| *slot = *byte);
    Digest::of(&block)
}

/// The root of a tree with these leaves.
#[must_use]
pub fn root(leaves: &[Digest]) -> Digest {
    let mut frontier = Frontier::default();
    leaves.iter().for_each(|leaf| frontier.push(*leaf));
    frontier.root()
}

/// All that must be kept of a tree to go on appending to it: the roots of its perfect subtrees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    /// From the largest to the smallest; one for each 1 in `size`.
    roots: Vec<Digest>,
}

impl Frontier {
    /// A frontier as it was kept; `None` if these cannot be the subtrees of a tree of that size.
    #[must_use]
    pub fn from_parts(size: u64, roots: Vec<Digest>) -> Option<Self> {
        (u64::from(size.count_ones()) == roots.len() as u64).then_some(Self { size, roots })
    }

    /// How many leaves the tree has.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The roots of the perfect subtrees, from the largest to the smallest.
    #[must_use]
    pub fn roots(&self) -> &[Digest] {
        &self.roots
    }

    /// Adds a leaf.
    pub fn push(&mut self, leaf: Digest) {
        let mut carry = leaf;
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.roots.pop() {
                carry = node_hash(&left, &carry);
            }
        }
        self.roots.push(carry);
        self.size += 1;
    }

    /// The root of the tree.
    #[must_use]
    pub fn root(&self) -> Digest {
        let from_the_right = self.roots.iter().rev().copied();
        from_the_right.reduce(|right, left| node_hash(&left, &right)).unwrap_or_else(|| Digest::of(b""))
    }
}

/// The hashes that lead from leaf `index` to the root, nearest first; `None` if there is no such leaf.
#[must_use]
pub fn inclusion_proof(leaves: &[Digest], index: u64) -> Option<Vec<Digest>> {
    let mut index = usize::try_from(index).ok().filter(|index| *index < leaves.len())?;
    let mut proof = Vec::new();
    let mut rest = leaves;
    while rest.len() > 1 {
        let (left, right) = rest.split_at(split(rest.len()));
        if index < left.len() {
            proof.push(root(right));
            rest = left;
        } else {
            proof.push(root(left));
            index -= left.len();
            rest = right;
        }
    }
    proof.reverse();
    Some(proof)
}

/// The root that an inclusion proof leads to; `None` if the proof has the wrong length for that place.
#[must_use]
pub fn root_of_inclusion(leaf: Digest, index: u64, size: u64, proof: &[Digest]) -> Option<Digest> {
    if index >= size {
        return None;
    }
    let (mut node, mut last) = (index, size - 1);
    let mut hash = leaf;
    for sibling in proof {
        if last == 0 {
            return None;
        }
        if node & 1 == 1 || node == last {
            hash = node_hash(sibling, &hash);
            while node & 1 == 0 && node != 0 {
                node >>= 1;
                last >>= 1;
            }
        } else {
            hash = node_hash(&hash, sibling);
        }
        node >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(hash)
}

/// The largest power of two below `len`, for `len` of at least 2.
const fn split(len: usize) -> usize {
    1 << (len - 1).ilog2()
}

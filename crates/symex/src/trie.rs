//! A persistent table from small numbers to values: copies are cheap and share their common parts. To compare or to
//! merge two copies costs as much as they differ.

use norn_ir::number::narrow;
use std::rc::Rc;

const BITS: u32 = 4;
const FANOUT: usize = 1 << BITS;

#[derive(Clone)]
pub struct Trie<T> {
    root: Option<Rc<Node<T>>>,
    /// Levels above the leaves.
    height: u32,
}

#[derive(Clone)]
enum Node<T> {
    Leaf([Option<T>; FANOUT]),
    Branch([Option<Rc<Node<T>>>; FANOUT]),
}

impl<T> Default for Trie<T> {
    fn default() -> Trie<T> {
        Trie { root: None, height: 0 }
    }
}

impl<T: Clone> Trie<T> {
    pub fn get(&self, key: u32) -> Option<&T> {
        if key.checked_shr(BITS * (self.height + 1)).unwrap_or(0) != 0 {
            return None;
        }
        let mut node = self.root.as_deref()?;
        let mut level = self.height;
        loop {
            match node {
                Node::Leaf(values) => return values[slot(key, 0)].as_ref(),
                Node::Branch(children) => node = children[slot(key, level)].as_deref()?,
            }
            level -= 1;
        }
    }

    pub fn set(&mut self, key: u32, value: T) {
        while key.checked_shr(BITS * (self.height + 1)).unwrap_or(0) != 0 {
            if let Some(root) = self.root.take() {
                let mut children: [Option<Rc<Node<T>>>; FANOUT] = Default::default();
                children[0] = Some(root);
                self.root = Some(Rc::new(Node::Branch(children)));
            }
            self.height += 1;
        }
        let mut node = self.root.get_or_insert_with(|| Rc::new(Node::new(self.height)));
        let mut level = self.height;
        loop {
            match Rc::make_mut(node) {
                Node::Leaf(values) => {
                    values[slot(key, 0)] = Some(value);
                    return;
                }
                Node::Branch(children) => {
                    level -= 1;
                    node = children[slot(key, level + 1)].get_or_insert_with(|| Rc::new(Node::new(level)));
                }
            }
        }
    }

    /// A table with the entries on which both tables agree; where they differ, `choose` makes an entry of the two.
    pub fn merge(&self, other: &Trie<T>, choose: &mut impl FnMut(u32, Option<&T>, Option<&T>) -> Option<T>) -> Trie<T> {
        let (mut a, mut b) = (self.clone(), other.clone());
        let height = a.height.max(b.height);
        a.raise(height);
        b.raise(height);
        Trie { root: merge_nodes(a.root.as_ref(), b.root.as_ref(), height, 0, choose), height }
    }

    fn raise(&mut self, height: u32) {
        while self.height < height {
            if let Some(root) = self.root.take() {
                let mut children: [Option<Rc<Node<T>>>; FANOUT] = Default::default();
                children[0] = Some(root);
                self.root = Some(Rc::new(Node::Branch(children)));
            }
            self.height += 1;
        }
    }
}

impl<T> Node<T> {
    fn new(level: u32) -> Node<T> {
        if level == 0 { Node::Leaf(Default::default()) } else { Node::Branch(Default::default()) }
    }
}

fn slot(key: u32, level: u32) -> usize {
    (key >> (BITS * level)) as usize % FANOUT
}

fn merge_nodes<T: Clone>(
    a: Option<&Rc<Node<T>>>,
    b: Option<&Rc<Node<T>>>,
    level: u32,
    first: u32,
    choose: &mut impl FnMut(u32, Option<&T>, Option<&T>) -> Option<T>,
) -> Option<Rc<Node<T>>> {
    match (a, b) {
        (None, None) => return None,
        (Some(a), Some(b)) if Rc::ptr_eq(a, b) => return Some(a.clone()),
        _ => {}
    }
    if level == 0 {
        let of = |node: Option<&Rc<Node<T>>>, i: usize| match node.map(Rc::as_ref) {
            Some(Node::Leaf(values)) => values[i].clone(),
            _ => None,
        };
        let mut values: [Option<T>; FANOUT] = Default::default();
        for (i, value) in values.iter_mut().enumerate() {
            let (x, y) = (of(a, i), of(b, i));
            if x.is_some() || y.is_some() {
                *value = choose(first + narrow(i), x.as_ref(), y.as_ref());
            }
        }
        return Some(Rc::new(Node::Leaf(values)));
    }
    let mut children: [Option<Rc<Node<T>>>; FANOUT] = Default::default();
    for (i, child) in children.iter_mut().enumerate() {
        let of = |node: Option<&'_ Rc<Node<T>>>| match node.map(Rc::as_ref) {
            Some(Node::Branch(children)) => children[i].clone(),
            _ => None,
        };
        let (x, y) = (of(a), of(b));
        *child = merge_nodes(x.as_ref(), y.as_ref(), level - 1, first + (narrow(i) << (BITS * level)), choose);
    }
    Some(Rc::new(Node::Branch(children)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_found_and_copies_do_not_change() {
        let mut table = Trie::default();
        for key in [0, 15, 16, 255, 256, 70_000, u32::MAX] {
            assert_eq!(table.get(key), None);
            table.set(key, key ^ 1);
        }
        let copy = table.clone();
        table.set(16, 5);
        for key in [0, 15, 255, 256, 70_000, u32::MAX] {
            assert_eq!(table.get(key), Some(&(key ^ 1)));
        }
        assert_eq!((table.get(16), copy.get(16), copy.get(17)), (Some(&5), Some(&17), None));
    }

    #[test]
    fn merging_asks_about_differences_only() {
        let mut a: Trie<u32> = Trie::default();
        for key in 0..1000 {
            a.set(key, key);
        }
        let mut b = a.clone();
        b.set(500, 1);
        b.set(5000, 2);
        let mut asked = Vec::new();
        let merged = a.merge(&b, &mut |key, x, y| {
            if x != y {
                asked.push(key);
            }
            x.or(y).copied()
        });
        assert_eq!(asked, [500, 5000]);
        assert_eq!((merged.get(500), merged.get(5000), merged.get(999)), (Some(&500), Some(&2), Some(&999)));
    }
}

//! Work on two threads, with results in the order of the work.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many items one thread takes at a time.
const SHARE: usize = 64;

/// Maps items on two threads, each with a state of its own. The result does not depend on who did what.
pub(crate) fn map<T: Sync, S, R: Send>(
    items: &[T],
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    if items.len() <= SHARE {
        let mut state = state();
        return items.iter().map(|item| work(&mut state, item)).collect();
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let run = || {
        let mut state = state();
        loop {
            let start = next.fetch_add(SHARE, Ordering::Relaxed);
            let Some(share) = items.get(start..items.len().min(start + SHARE)).filter(|share| !share.is_empty()) else {
                return;
            };
            let results: Vec<R> = share.iter().map(|item| work(&mut state, item)).collect();
            done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((start, results));
        }
    };
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, run);
        run();
        if let Ok(other) = other {
            other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(start, _)| *start);
    done.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn order_is_kept() {
        for count in [0, 1, 64, 65, 1000] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(super::map(&items, || 1, |one, item| item + *one - 1), items);
        }
    }
}

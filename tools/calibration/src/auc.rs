//! How well a number tells cases from controls: the area under the ROC curve, with intervals from a bootstrap that draws
//! whole groups (a case with its controls).

use crate::chance::Chance;
use serde::Serialize;

/// One commit in a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// The number that is judged; only its order counts.
    pub value: i64,
    /// Whether it should be high.
    pub case: bool,
    /// The case it was drawn for.
    pub group: usize,
}

/// A figure with its 95 % interval.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Figure {
    /// From all samples.
    pub value: f64,
    /// The 2.5th percentile.
    pub low: f64,
    /// The 97.5th.
    pub high: f64,
}

const ROUNDS: usize = 1000;

/// The areas of several numbers over the same samples, and how much each falls behind the first, drawn in pairs.
#[must_use]
pub fn areas(measures: &[Vec<Sample>], seed: u64) -> Vec<(Figure, Figure)> {
    let groups = measures.iter().flatten().map(|sample| sample.group + 1).max().unwrap_or_default();
    let sorted: Vec<Vec<Sample>> = measures.iter().map(|samples| by_value(samples)).collect();
    let ones = vec![1_u32; groups];
    let whole: Vec<f64> = sorted.iter().map(|samples| area(samples, &ones)).collect();
    let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(ROUNDS); sorted.len()];
    let mut behind = drawn.clone();
    let mut chance = Chance::new(seed);
    for _ in 0..ROUNDS {
        let weights = draw(groups, &mut chance);
        let values: Vec<f64> = sorted.iter().map(|samples| area(samples, &weights)).collect();
        let first = values.first().copied().unwrap_or(0.5);
        for ((value, drawn), behind) in values.iter().zip(&mut drawn).zip(&mut behind) {
            drawn.push(*value);
            behind.push(first - value);
        }
    }
    let first = whole.first().copied().unwrap_or(0.5);
    let figures = whole.iter().zip(drawn.into_iter().zip(behind));
    figures.map(|(value, (drawn, behind))| (figure(*value, drawn), figure(first - value, behind))).collect()
}

/// A share with its interval (Wilson).
#[must_use]
pub fn share(part: usize, whole: usize) -> Figure {
    if whole == 0 {
        return Figure { value: 0.0, low: 0.0, high: 0.0 };
    }
    let (n, p, z) = (whole as f64, part as f64 / whole as f64, 1.96);
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    Figure { value: p, low: (middle - half).max(0.0), high: (middle + half).min(1.0) }
}

fn by_value(samples: &[Sample]) -> Vec<Sample> {
    let mut sorted = samples.to_vec();
    sorted.sort_by_key(|sample| sample.value);
    sorted
}

fn draw(groups: usize, chance: &mut Chance) -> Vec<u32> {
    let mut weights = vec![0; groups];
    for _ in 0..groups {
        if let Some(weight) = weights.get_mut(chance.below(groups)) {
            *weight += 1;
        }
    }
    weights
}

/// The share of pairs in order; ties count half.
fn area(sorted: &[Sample], weights: &[u32]) -> f64 {
    let (mut below, mut pairs, mut cases) = (0.0, 0.0, 0.0);
    for tied in sorted.chunk_by(|a, b| a.value == b.value) {
        let (mut up, mut down) = (0.0, 0.0);
        for sample in tied {
            let weight = weights.get(sample.group).copied().map_or(0.0, f64::from);
            *(if sample.case { &mut up } else { &mut down }) += weight;
        }
        pairs += up * (below + down / 2.0);
        below += down;
        cases += up;
    }
    if cases * below == 0.0 { 0.5 } else { pairs / (cases * below) }
}

fn figure(value: f64, mut drawn: Vec<f64>) -> Figure {
    drawn.sort_by(f64::total_cmp);
    let at = |part: usize| drawn.get(drawn.len() * part / 1000).copied().unwrap_or(value);
    Figure { value, low: at(25), high: at(975) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(values: &[(i64, bool)]) -> Vec<Sample> {
        values.iter().enumerate().map(|(group, (value, case))| Sample { value: *value, case: *case, group }).collect()
    }

    #[test]
    fn areas_of_known_orders() {
        for (values, expected) in [
            (&[(1, false), (2, true)][..], 1.0),
            (&[(2, false), (1, true)], 0.0),
            (&[(1, false), (1, true)], 0.5),
            (&[(1, false), (2, true), (3, false), (4, true)], 0.75),
        ] {
            let found = areas(&[samples(values)], 1);
            assert_eq!(found.first().map(|(figure, _)| figure.value), Some(expected));
        }
    }

    #[test]
    fn intervals_hold_the_value_and_come_out_the_same() {
        let values: Vec<(i64, bool)> = (0..200).map(|at| ((at * 37) % 101, at % 3 == 0)).collect();
        let draw = || format!("{:?}", areas(&[samples(&values)], 7));
        assert_eq!(draw(), draw());
        let found = areas(&[samples(&values)], 7);
        assert!(found.iter().all(|(figure, _)| figure.low < figure.value && figure.value < figure.high));
    }
}

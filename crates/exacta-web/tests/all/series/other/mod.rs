//! Series in another manner: what a site says is a list of records, and each of twelve kinds of site writes it in its own way, as HTML, RSS, Atom, JSON or
//! plain text, with the noise that such a site has. The rules of the monitor were not made on these.

mod fault;
mod noise;
mod record;
mod site;

use super::rng::Rng;
use super::{Manner, Sent, Story};
use noise::Noise;
use record::Records;

pub(super) const MANNER: Manner = Manner {
    name: "other",
    stories: site::KINDS.len() * 4,
    changes: record::CHANGES.len(),
    faults: fault::KINDS.len(),
    begin,
};

struct Other {
    site: usize,
    records: Records,
    noises: Vec<Noise>,
}

fn begin(kind: usize, rng: &mut Rng) -> Box<dyn Story> {
    let site = kind % site::KINDS.len();
    let kinds = noise::of(site::KINDS[site].1);
    let records = Records::new(rng);
    let noises = (0..1 + rng.below(3)).map(|_| Noise::new(rng.pick(kinds), rng)).collect();
    Box::new(Other { site, records, noises })
}

impl Story for Other {
    fn name(&self) -> String {
        let noises = self.noises.iter().map(|noise| noise.kind).collect::<Vec<_>>().join(" + ");
        format!("{}, {noises}", site::KINDS[self.site].0)
    }

    fn page(&mut self, _look: usize, read: usize) -> Sent {
        let made = self.noises.iter_mut().map(|noise| noise.made(read)).collect::<Vec<_>>();
        let body = site::write(self.site, &self.records, &made, read);
        (200, site::KINDS[self.site].2.to_owned(), body.into_bytes())
    }

    fn change(&mut self, kind: usize) -> (String, Vec<String>) {
        (record::CHANGES[kind].to_owned(), self.records.change(kind))
    }

    fn fault(&mut self, kind: usize) -> (String, Sent) {
        let whole = site::write(self.site, &self.records, &[], 0);
        (fault::KINDS[kind].to_owned(), fault::sent(kind, site::KINDS[self.site], &whole))
    }

    fn noise(&self) -> Vec<String> {
        self.noises.iter().flat_map(|noise| noise.words.clone()).collect()
    }
}

//! Pages of a small town's sites: written into five layouts, with one noise or two.

mod change;
mod doc;
mod fault;
mod noise;

use super::rng::Rng;
use super::{Manner, Sent, Story};
use doc::Doc;
use noise::Noise;

const SITES: usize = 5;

pub(super) const MANNER: Manner = Manner {
    name: "town",
    stories: noise::KINDS.len(),
    changes: change::KINDS.len(),
    faults: fault::KINDS.len(),
    begin,
};

struct Town {
    doc: Doc,
    site: usize,
    noises: Vec<Noise>,
    rng: Rng,
}

fn begin(kind: usize, rng: &mut Rng) -> Box<dyn Story> {
    let (doc, site) = (Doc::new(rng), rng.below(SITES));
    let mut noises = vec![Noise::new(kind, rng)];
    if rng.below(2) == 0 {
        let second = 18 + rng.below(11);
        noises.push(Noise::new(second, rng));
    }
    Box::new(Town { doc, site, noises, rng: rng.clone() })
}

impl Story for Town {
    fn name(&self) -> String {
        let noises = self.noises.iter().map(|noise| noise::KINDS[noise.kind]).collect::<Vec<_>>().join(" + ");
        format!("site {}, {noises}", self.site)
    }

    fn page(&mut self, _look: usize, read: usize) -> Sent {
        let mut doc = self.doc.clone();
        for noise in &mut self.noises {
            noise.into(&mut doc, read);
        }
        let html = doc.html(self.site);
        // Only one noise is around a page.
        let (kind, body) = self.noises.iter().rev().find(|noise| noise.kind < 18).map_or_else(
            || ("text/html; charset=utf-8".to_owned(), html.clone().into_bytes()),
            |noise| noise.around(html.clone(), read),
        );
        (200, kind, body)
    }

    fn change(&mut self, kind: usize) -> (String, Vec<String>) {
        (change::KINDS[kind].to_owned(), change::change(kind, &mut self.doc, &mut self.rng))
    }

    fn fault(&mut self, kind: usize) -> (String, Sent) {
        let (status, content_type, body) = fault::fault(kind, &self.doc, self.site);
        (fault::KINDS[kind].to_owned(), (status, content_type.to_owned(), body.into_bytes()))
    }

    fn noise(&self) -> Vec<String> {
        self.noises.iter().flat_map(|noise| noise.words.clone()).collect()
    }

    fn told(&self, text: &str) -> String {
        text.replace("wouldn't \"stay\"", "would stay").replace(" - ", " to ")
    }
}
